"""The kinds of changes by which a text is spelled otherwise, and the record of what a search tried."""

from __future__ import annotations

from collections import Counter
from typing import Collection, Iterable, Iterator

from .changes import FormChange
from .choices import left_open

KINDS = {
    "end:jump-dropped": "A jump to where control falls off anyway is not written.",
    "end:jump-added": "The jump to where control falls off is written, instead of a `pass` if there is one.",
    "end:as-break": "A jump that also follows the loop is a `break`.",
    "return:conditional-as-if": "`return a if b else c` is two returns.",
    "if:guard-before-body": "An `if` around the rest is one that leaves, before the rest.",
    "if:pass-negated": "`if a: pass` is `if not a: pass`.",
    "if:else-pass": "An `if` has `else: pass`.",
    "if:pass-else": "An `if` is `if not a: pass`, and its body is the `else`.",
    "if:rest-into-else": "What follows a body that leaves is its `else`.",
    "if:rest-into-else-without-jump": "The same, and the body falls off its end instead of leaving.",
    "if:as-assert": "An `if` before a failing assertion is an `assert`.",
    "if:else-below": "The `else` of a body that leaves is below the `if`.",
    "if:else-below-jump": "A body leaves, where it falls off; its `else` is below.",
    "if:negated-body-below-jump": "An `else` leaves, where it falls off, as the body of the opposite `if`.",
    "if:negated": "The two arms change places.",
    "test:conditional-as-ifs": "`if a if b else c` is nested statements.",
    "test:and-as-ifs": "`if a and b` is an `if` in the `if` of the first operand.",
    "test:or-as-elif": "`if a or b` is `if a`, and `elif b` with the same body.",
    "try:else-below-jumps": "An `else` is below the statement, and the handlers leave.",
    "try:else-below": "An `else` is below the statement.",
    "try:rest-into-else": "What follows is the `else`.",
    "try:rest-into-else-without-jumps": "The same, and handlers fall off their ends instead of a `continue`.",
    "try:last-into-else": "The last statement of the body is the `else`.",
    "try:jump-below": "The jump that ends a body and its handlers is below the statement.",
    "try:except-pass-as-finally": "`except: pass` before a jump is a `finally` with the jump.",
    "loop:rest-into-else": "What follows a loop is its `else`.",
    "loop:breaks-as-jump": "Each `break` is the jump that follows the loop.",
    "loop:true-as-1": "`while True` is `while 1`.",
    "finally:abandoned-return": "A body returns a value that its `finally` overrides.",
    "columns:undone": "Nothing is decided by columns.",
    "dead:names": "Code that nothing runs has names that the code object keeps.",
    "dead:order": "A test that is never true assigns to all variables in their order, which the code may look at.",
}
"""What each kind of change makes of a statement, by name. A kind in ``Settings.skip_rules`` is not tried."""


class Search:
    """What the searches of one code object tried; kinds in ``skipped`` are not tried.

    ``texts``: how many texts were compiled. ``tried``: how often a change of each kind was the last one of such a text.
    ``found``: the changes that were made in the end.
    """

    def __init__(self, skipped: Collection[str] = ()) -> None:
        self.skipped = skipped
        self.texts = 0
        self.tried: Counter[str] = Counter()
        self.found: tuple[FormChange, ...] = ()

    def proposed(self, changes: Iterable[FormChange]) -> Iterator[FormChange]:
        """Yield those of ``changes`` that are to be tried: evidence has not decided the statement."""
        for change in left_open(changes):
            if change.kind not in self.skipped:
                yield change

    def tries(self, change: FormChange) -> None:
        """Count a text that ends with ``change``."""
        self.texts += 1
        self.tried[change.kind] += 1
