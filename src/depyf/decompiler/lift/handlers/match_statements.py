"""The operations that `find_match_statements` substitutes for patterns."""

from __future__ import annotations

from ...bytecode import Instruction
from ..symbolic_stack import SymbolicStack
from ..values import CaseElse, CaseTest, Subject
from .registry import handles


@handles("MATCH_SUBJECT")
def _subject(state: SymbolicStack, instruction: Instruction) -> None:
    number, has_default = instruction.arg
    state.emit(Subject(number, has_default, state.pop()))


@handles("MATCH_CASE")
def _case(state: SymbolicStack, instruction: Instruction) -> None:
    state.push(CaseTest(*instruction.arg))


@handles("MATCH_ELSE")
def _else(state: SymbolicStack, instruction: Instruction) -> None:
    state.emit(CaseElse(*instruction.arg))
