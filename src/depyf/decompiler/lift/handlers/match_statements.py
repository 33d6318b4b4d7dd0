"""The operations that `find_match_statements` substitutes for patterns."""

from __future__ import annotations

from ...bytecode import Instruction
from ..columns import first_column
from ..symbolic_stack import SymbolicStack
from ..values import CaseElse, CaseTest, Subject
from .registry import handles


@handles("MATCH_SUBJECT")
def _subject(state: SymbolicStack, instruction: Instruction) -> None:
    number, has_default, unreached = instruction.arg
    column = first_column([*state.instructions[state.start : state.position], instruction])
    state.emit(Subject(number, has_default, unreached, state.pop()))
    state.statements[-1].column = column - len("match ") if column is not None else None


@handles("MATCH_CASE")
def _case(state: SymbolicStack, instruction: Instruction) -> None:
    state.push(CaseTest(*instruction.arg))


@handles("MATCH_ELSE")
def _else(state: SymbolicStack, instruction: Instruction) -> None:
    state.emit(CaseElse(*instruction.arg))
