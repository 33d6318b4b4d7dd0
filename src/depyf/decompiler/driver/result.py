"""The result of decompiling one code object."""

from __future__ import annotations

import textwrap
import types
from functools import cached_property
from typing import Any, Callable, Iterator, Mapping, NamedTuple, Sequence

from ...escapes import printable
from ..bytecode import RawCode
from ..proof import Level, Verdict
from ..proof.scaffold import Spelled
from ..surface_forms.choices import FormChoice, choices
from ..surface_forms.kinds import Search


def meanings(meant: Mapping[str, str]) -> str:
    """A list of what identifiers mean, as text."""
    return ", ".join(f"{text} is {name!a}" for text, name in meant.items())


class ResultText:
    """A text, printed on first use: a module's does not require printing those of its functions.

    ``make`` gives the text and its line map. A comment at the top says if the text is not proven by ``verdict``, and
    which names that no source can have the identifiers in ``meant`` mean, and lists ``own``: what has another name in
    the text, and that name. ``needs`` is what compile() needs to be told, ``objects`` maps names in the
    text to objects without a literal, or to the results of code. ``is_laid_out`` puts the comment at the end.
    """

    def __init__(
        self,
        make: Callable[[], tuple[str, dict[int, int]]],
        verdict: Verdict | None = None,
        meant: Mapping[str, str] = {},
        own: Sequence[tuple[str, str]] = (),
        needs: Sequence[str] = (),
        objects: Mapping[str, Any] = {},
        *,
        is_laid_out: bool = False,
    ) -> None:
        self._make = make
        self.is_laid_out = is_laid_out
        self._verdict = verdict
        self.meant, self.own, self.needs, self.objects = meant, own, needs, objects

    def with_other(self, make: Callable[[], tuple[str, dict[int, int]]]) -> ResultText:
        """Another text of the same code, with the same comment, at its top."""
        return ResultText(make, self._verdict, self.meant, self.own, self.needs, self.objects)

    @cached_property
    def printed(self) -> tuple[str, dict[int, int]]:
        """The text and its line map."""
        text, line_map = self._make()
        notice = []
        if self._verdict is not None and self._verdict.level is Level.UNPROVEN:
            notice = [f"# Not proven: {printable(reason)}" for reason in "\n".join(self._verdict.reasons).splitlines()]
        headings = ["Names that no source can have here: " + meanings(self.meant)] if self.meant else []
        if self.own:
            called = ", ".join(f"{printable(where)} is {name!a}" for where, name in self.own)
            headings.append("Code has other names than its text, which `recompile` puts back: " + called)
        if self.needs:
            headings.append("To be compiled with " + " and ".join(self.needs))
        headings += [_heading(name, one) for name, one in self.objects.items() if name in text]
        for heading in headings:  # indented, the rest of a name with spaces is no comment of its own
            first, *below = heading.split("\n")
            notice += textwrap.wrap(first, 118, initial_indent="# ", subsequent_indent="#   ", break_long_words=False)
            notice += [f"#     {line}".rstrip() for line in below]
        if not notice:
            return text, line_map
        if self.is_laid_out:
            return text + "".join(line + "\n" for line in notice), line_map
        moved = {line + len(notice): original for line, original in line_map.items()}
        return "".join(line + "\n" for line in notice) + text, moved


def _heading(name: str, meant: Any) -> str:
    """A comment that says what ``name`` means in a text: an object, or the source of a code object."""
    if not isinstance(meant, Result):
        what = printable(type(meant).__qualname__)
        return f"{name} is an object of type {what}, a constant that `recompile` puts back"
    source = "\n".join(map(printable, meant.source.rstrip("\n").split("\n")))
    return f"{name} is the code object {printable(meant.qualname)}, a constant that `recompile` puts back:\n{source}"


class Result(NamedTuple):
    """The source of one code object, and how sure it is.

    ``verdict`` is for this code object alone: nested ones have their own results in ``nested``.
    ``form`` is the form of the text: 'structured', 'one-trip loop', 'tail duplication', 'loop rotation', 'events',
    'nested blocks', 'state variable', 'dispatch loop' (docs/passes.md), 'rebuilt' (a live class), 'pieces' (a module or
    class that is refused, except for statements proven separately) or 'refused'. ``rung`` is its earlier name.
    ``folded`` counts operations on the code's own lists that were folded away. ``tree`` is the syntax tree,
    ``spelled`` records what the text writes without Python syntax for it: ``spelled.constants`` are the objects that
    names in it mean.
    ``mode`` is the mode for compile(): 'exec'; 'eval' if the text is an expression; 'single' if it is a line of an
    interactive session, which prints the values of its expressions.
    ``search`` records what was tried to spell it better, None if nothing was; ``choices`` are the statements whose form
    no evidence decides, the only ones that a search spells otherwise.
    """

    name: str
    qualname: str
    text: ResultText
    verdict: Verdict
    raw: RawCode | None
    code: types.CodeType | None
    nested: tuple[Result, ...] = ()
    folded: int = 0
    form: str = "structured"
    tree: Any = None
    spelled: Spelled = Spelled()
    mode: str = "exec"
    search: Search | None = None

    @property
    def source(self) -> str:
        """The text, including nested code."""
        return self.text.printed[0]

    @property
    def line_map(self) -> dict[int, int]:
        """Lines of ``source`` -> lines of the original."""
        return self.text.printed[1]

    @property
    def rung(self) -> str:
        return self.form

    @property
    def choices(self) -> list[FormChoice]:
        """The statements of this code object whose form no evidence decides, with the kinds of other forms."""
        body = getattr(self.tree, "body", None)
        return choices(body, self.raw) if isinstance(body, list) and self.raw is not None else []

    @property
    def constants(self) -> Mapping[str, Any]:
        """Dotted names in the text -> the constants without literals that they mean."""
        return self.spelled.constants

    def walk(self) -> Iterator[Result]:
        """This result and, depth first, all nested ones."""
        todo = [self]
        while todo:
            result = todo.pop()
            yield result
            todo.extend(reversed(result.nested))

    @property
    def proven(self) -> bool:
        """Whether this code object and everything nested in it is exact or equivalent."""
        return all(result.verdict.proven for result in self.walk())
