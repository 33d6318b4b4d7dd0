"""Levels: the ``try`` bodies and handlers around an instruction, from its handlers and the handled exceptions.

Each level is one level of nesting in the source: ``try`` in ``except`` in ``try`` ... An instruction is covered by the
handlers of all ``try`` bodies around it, and, for each ``except`` around it, by the code that restores the previously
handled exception when another one leaves the handler (``COPY 3; POP_EXCEPT; RERAISE``).
"""

from __future__ import annotations

from typing import Any, Callable, NamedTuple, Tuple

from ...errors import DecompilationError
from ..bytecode import Handler, Instruction
from ..limits.budget import STEP, spend
from ..stack_machine.shapes import only_restores, with_handler
from .slots import StackSlot, rigid

Error = Callable[[str], DecompilationError]


class HandlerLevel(NamedTuple):
    """``kind``: "try", "with", "except", or "silent": a handler that raises again without a visible effect, so that
    it need not be distinguished from an ``except``. ``below``: the stack entries below the handler's depth that no
    variable can hold.
    """

    kind: str
    handler: Handler
    below: tuple[Any, ...]

    @property
    def is_body(self) -> bool:
        """Whether the handler covers this level."""
        return self.kind in ("try", "with")

    @property
    def kept(self) -> int:
        """The stack depth that remains when an exception leaves this body."""
        return self.handler.depth - (self.kind == "with")


Levels = Tuple[HandlerLevel, ...]


def handled_part(levels: Levels) -> Levels:
    """Return the levels up to and including the innermost handler."""
    end = len(levels)
    while end and levels[end - 1].is_body:
        end -= 1
    return levels[:end]


def is_inside(levels: Levels, outer: Levels) -> bool:
    """Whether ``levels`` begin with ``outer``."""
    return levels[: len(outer)] == outer


class Ranges:
    """The handlers of each instruction, innermost first."""

    def __init__(self, instructions: list[Instruction], error: Error) -> None:
        self.instructions = instructions
        self.error = error
        self._chains: dict[int, tuple[Any, ...]] = {}

    def chain(self, pc: int) -> tuple[Any, ...]:
        """Return the handlers that cover ``pc``, or the depth of those that only restore the handled exception."""
        if pc not in self._chains:
            found: list[Any] = []
            seen = set()
            handler = self.instructions[pc].handler
            while handler is not None:
                if handler in seen:
                    raise self.error("an exception handler covers itself")
                seen.add(handler)
                found.append(handler.depth if self.restores(handler) else handler)
                depth = handler.depth
                handler = self.instructions[handler.target].handler
                while handler is not None and handler.depth > depth and self.restores(handler):
                    spend(STEP, "the dispatch loop")
                    # PUSH_EXC_INFO can't raise, yet may be covered by the cleanup of its own handler.
                    handler = self.instructions[handler.target].handler
            self._chains[pc] = tuple(found)
        return self._chains[pc]

    def restores(self, handler: Handler) -> bool:
        """Whether the handler only restores the exception handled before and raises again."""
        if not only_restores(self.instructions, handler.target):
            return False
        return bool(self.instructions[handler.target].arg == (3 if handler.lasti else 2))

    def expected(self, levels: Levels) -> tuple[Any, ...]:
        """Return the chain of an instruction at these levels."""
        found: list[Any] = []
        for level in reversed(levels):
            if level.is_body:
                found.append(level.handler)
            elif level.kind == "except":
                found.append(level.handler.depth + level.handler.lasti + 1)
        return tuple(found)

    def levels_of(self, pc: int, handled: Levels, slots: list[StackSlot]) -> Levels | None:
        """Return the levels of the instruction at ``pc``, given those of the handled exceptions.

        None if it fits nowhere, or if the stack is too small for the handlers.
        """
        chain = self.chain(pc)
        if not chain and not handled:
            return ()
        outer = self.expected(handled)
        count = len(chain) - len(outer)
        if count < 0 or chain[count:] != outer:
            return None
        levels = handled
        for handler in reversed(chain[:count]):
            if not isinstance(handler, Handler) or handler.depth > len(slots):
                return None
            below = slots[: handler.depth]
            is_with = bool(below) and below[-1].kind == "exit" and self.with_end(handler) is not None
            levels += (HandlerLevel("with" if is_with else "try", handler, tuple(rigid(slot) for slot in below)),)
        return levels

    def with_end(self, handler: Handler) -> int | None:
        """Return where the handler of a with statement continues if the exit function suppresses the exception."""
        found = with_handler(self.instructions, handler.target, "the dispatch loop")
        return None if found is None else found.suppressed
