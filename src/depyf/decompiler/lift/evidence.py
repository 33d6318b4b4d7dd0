"""What a block shows of the source beyond its effect."""

from __future__ import annotations

from typing import NamedTuple


class Evidence(NamedTuple):
    """Traces of the source in one block, by which equivalent forms are distinguished.

    A block made from others gets all of it by `ending_as` or `of_test`, or states what it drops.
    """

    line: int | None = None
    """The line of the first instruction that has one."""

    exit_line: int | None = None
    """The line of the last instruction, if it is a jump, a return or a raise."""

    column: int | None = None
    """The start column of the first instruction of the test at the end, or of the return, ``break`` or ``continue``."""

    return_line: int | None = None
    """The line of a return that leaves a with statement, if it shows: ``exit_line`` is that of the with statement."""

    left_from: int | None = None
    """The start column of a ``break`` or ``continue`` of which a NOP, or the end of the iteration, is left at the
    beginning."""

    left_line: int | None = None
    """The line of a NOP at the beginning, or of what leaves a handler before it, if what follows is on another line and
    there are no columns (3.10)."""

    test_end: tuple[int, int] | None = None
    """The end line and column of the test at the end, without a parenthesis around it."""

    keyword: str | None = None
    """The keyword of a jump out of a statement: 'break', 'continue', 'return', or 'return None' for a constant of that
    width; 'leaves' for one of them, without columns, 'leaves a loop' for a ``return`` that shows where it drops an
    iterator; '' at the end of a handler, 'pass' if the block only marks a line."""

    written: str | None = None
    """How a return of None was written: 'return', 'return None', 'pass' or '...'."""

    is_pass: bool = False
    """It is a jump that is as wide as ``pass``."""

    is_clause: bool = False
    """It belongs to a generator expression."""

    is_repeated: bool = False
    """The test of a while loop whose copy at the bottom was undone."""

    is_bottom: bool = False
    """In place of such a copy: the end of the loop's body."""

    is_line_of_statement: bool = False
    """``exit_line`` of a test is the line of its statement, not of the tested expression."""

    is_continue: bool = False
    """The jump at the end is the only instruction of its line."""

    is_threaded: bool = False
    """The test jumped to another one, and the compiler threaded the jumps: ``(a and b) and c``."""

    is_implicit_return: bool | None = False
    """The return at the end of the code is the compiler's; None: it may be."""

    ends_loops: tuple[int, ...] = ()
    """The first blocks of the loops that end here, though no jump back to them is reached."""

    is_uncopied: bool = False
    """A return of a compiler that does not copy exits: all returns but the last one are in the source."""

    loads_last: bool = False
    """A return of a constant that is loaded after the enclosing statements have been left."""

    is_end: bool = False
    """The end of a module or class body, where no return can be written."""

    is_behind_finally: bool | None = None
    """Whether a return after a copy of a ``finally`` body was written after the statement (or not at all), not inside
    it; None if there is no copy."""

    @property
    def unwinds_for_return(self) -> bool:
        """Whether the block is the part of a return statement that leaves the statements around it."""
        return self.keyword in ("return", "return None")

    def ending_as(self, last: Evidence) -> Evidence:
        """The evidence of a block that begins like this one and ends like ``last``.

        ``left_from``, ``left_line``, ``is_repeated`` and ``is_behind_finally`` stay those of this block.
        """
        return last._replace(
            line=last.line if self.line is None else self.line,
            left_from=self.left_from,
            left_line=self.left_line,
            is_repeated=self.is_repeated,
            is_behind_finally=self.is_behind_finally,
        )

    def of_test(self) -> Evidence:
        """The evidence of the test at the end, as a separate block."""
        return self._replace(line=self.exit_line)

    def as_text(self) -> str:
        """The fields that are set, without lines and columns."""
        return ", ".join(
            name if value is True else f"{name}={value!r}"
            for name, value, default in zip(self._fields, self, Evidence())
            if value != default and "line" not in name and name not in ("column", "left_from", "test_end", "ends_loops")
        )
