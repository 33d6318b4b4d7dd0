"""What a block tells of the source beyond what it does."""

from __future__ import annotations

from typing import NamedTuple


class Evidence(NamedTuple):
    """What the compiler has left of the source in one block. Forms that do the same are told apart by it.

    A block that is made of others gets all of it by `ending_as` or `of_test`, or says what it drops.
    """

    line: int | None = None
    """That of the first instruction that has one."""

    exit_line: int | None = None
    """That of the last instruction, if it is a jump, a return or a raise."""

    column: int | None = None
    """That in which the first instruction of the test at the end begins, or the return statement."""

    test_end: tuple[int, int] | None = None
    """The line and column in which the test at the end ends, without a parenthesis around it."""

    keyword: str | None = None
    """By which control leaves a statement: 'break', 'continue' or 'return', or '' at the end of a handler. 'pass' if
    the block is there for its line alone."""

    written: str | None = None
    """How a return of None was written: 'return', 'return None', 'pass' or '...'."""

    is_clause: bool = False
    """It belongs to a generator expression."""

    is_repeated: bool = False
    """The test of a while loop whose copy at the bottom was undone."""

    is_bottom: bool = False
    """What such a copy became: the body of the loop ends here."""

    is_line_of_statement: bool = False
    """``exit_line`` of a test is the line of its statement, not of what it tests."""

    is_continue: bool = False
    """The jump at the end is all that was compiled of its line."""

    is_threaded: bool = False
    """The test jumped to another one, and the compiler made one jump of both: ``(a and b) and c``."""

    is_implicit_return: bool | None = False
    """The compiler wrote the return at the end of the code; None: it may have."""

    is_uncopied: bool = False
    """A return by a compiler that copies none: all returns but the last one were written."""

    loads_last: bool = False
    """A return of a constant that is loaded after control has left the statements around."""

    is_end: bool = False
    """The end of a module or class body, where no return can be written."""

    is_behind_finally: bool | None = None
    """Whether a return after a copy of a ``finally`` body was written there, or nowhere, not in front of the copy;
    None if there is no copy."""

    def ending_as(self, last: Evidence) -> Evidence:
        """That of a block that begins as this one and ends as ``last``.

        What only a loop's test or the first return after a ``finally`` body has stays that of this block.
        """
        return last._replace(
            line=last.line if self.line is None else self.line,
            is_repeated=self.is_repeated,
            is_behind_finally=self.is_behind_finally,
        )

    def of_test(self) -> Evidence:
        """That of a block that is cut off before the test at the end."""
        return self._replace(line=self.exit_line)

    def as_text(self) -> str:
        """What is known, but for lines and columns."""
        return ", ".join(
            name if value is True else f"{name}={value!r}"
            for name, value, default in zip(self._fields, self, Evidence())
            if value != default and "line" not in name and name not in ("column", "test_end")
        )
