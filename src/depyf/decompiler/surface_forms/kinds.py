"""The kinds of changes by which a text is spelled otherwise, and the record of what a search tried."""

from __future__ import annotations

from collections import Counter
from typing import Collection, Iterable, Iterator

from .changes import FormChange, TreeChange
from .choices import left_open

KINDS = {
    "end:pass-as-jump": "A `pass` at the end of a body is the jump that control falls off to.",
    "end:jump-dropped": "A jump to where control falls off anyway is not written.",
    "end:jump-added": "The jump to where control falls off is written.",
    "end:break-as-its-target": "A `break` is the jump that follows the loop.",
    "end:as-break": "A jump that also follows the loop is a `break`.",
    "return:conditional-as-if": "`return a if b else c` is two returns.",
    "assign:conditional-as-if": "`x = a if b else c` is two assignments.",
    "if:return-copied-into": "The return below an `if` is copied into its body.",
    "if:guard-before-body": "An `if` around the rest is one that leaves, before the rest.",
    "if:pass-negated": "`if a: pass` is `if not a: pass`.",
    "if:else-pass": "An `if` has `else: pass`.",
    "if:pass-else": "An `if` is `if not a: pass`, and its body is the `else`.",
    "if:rest-into-else": "What follows a body that leaves is its `else`.",
    "if:rest-into-else-without-jump": "The same, and the body falls off its end instead of leaving.",
    "if:as-assert": "An `if` before a failing assertion is an `assert`.",
    "if:negated-around-rest": "What follows an `if` that only leaves is the body of the opposite `if`.",
    "if:negated-around-rest-jump-below": "The same, with the jump below it.",
    "if:else-below": "The `else` of a body that leaves is below the `if`.",
    "if:negated-body-below": "An `else` that leaves is the body of the opposite `if`, with the body below.",
    "if:else-below-jump": "A body leaves, where it falls off; its `else` is below.",
    "if:negated-body-below-jump": "An `else` leaves, where it falls off, as the body of the opposite `if`.",
    "if:negated": "The two arms change places.",
    "if:same-ends-below": "The statement with which both arms end is below the `if`.",
    "test:conditional-as-ifs": "`if a if b else c` is nested statements.",
    "test:and-as-ifs": "`if a and b` is an `if` in the `if` of the first operand.",
    "test:last-and-as-if": "`if a and b and c` is `if c` in `if a and b`.",
    "test:or-as-elif": "`if a or b` is `if a`, and `elif b` with the same body.",
    "try:finally-around": "A `finally` is of a statement around the handlers.",
    "try:else-below-jumps": "An `else` is below the statement, and the handlers leave.",
    "try:rest-into-else": "What follows is the `else`.",
    "try:next-into-else": "The next statement is the `else`.",
    "try:last-into-else": "The last statement of the body is the `else`.",
    "try:except-pass-as-finally": "`except: pass` before a jump is a `finally` with the jump.",
    "try:jump-below-finally": "The jump that ends the body is below the statement.",
    "loop:rest-into-else": "What follows a loop is its `else`.",
    "loop:breaks-as-jump": "Each `break` is the jump that follows the loop.",
    "loop:if-break-as-test": "`while True` with `if a: break` first is `while not a`.",
    "loop:true-as-1": "`while True` is `while 1`.",
    "finally:abandoned-constant": "A body returns a constant that its `finally` overrides.",
    "finally:abandoned-value": "A body returns the value of its last statement, and its `finally` overrides that.",
    "columns:undone": "Nothing is decided by columns.",
    "dead:names": "Code that nothing runs has names that the code object keeps.",
    "dead:order": "A test that is never true assigns to all variables in their order, which the code may look at.",
    "dead:else": "What follows a body that leaves is its `else`: a dead jump is left of that.",
    "dead:else-below": "The `else` of a body that leaves is below: there is no dead jump.",
    "dead:else-pass": "An `if` has `else: pass`: a dead jump is left of it.",
    "dead:continue-as-else": "A body falls off its end instead of a `continue`, and what follows is its `else`.",
    "dead:continue-before-else": "A body ends with a `continue` before its `else`.",
    "dead:continue-instead-of-else": "A body ends with a `continue`, and its `else` is below.",
    "dead:jump-into-try-else": "The jump that ends a body is the `else` of its handlers.",
    "dead:jump-below-try": "The jump that ends a body and its handlers is below the statement.",
    "dead:try-else": "What follows handlers that leave is the `else`.",
    "dead:try-else-below": "The `else` is below the statement.",
    "dead:try-continue-as-else": "Handlers fall off instead of a `continue`, and what follows is the `else`.",
    "dead:handler-continues": "The last handler ends with a `continue`.",
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
        self.found: tuple[TreeChange, ...] = ()

    def proposed(self, changes: Iterable[FormChange]) -> Iterator[FormChange]:
        """Yield those of ``changes`` that are to be tried: evidence has not decided the statement."""
        for change in left_open(changes):
            if change.kind not in self.skipped:
                yield change

    def tries(self, change: TreeChange) -> None:
        """Count a text that ends with ``change``."""
        self.texts += 1
        self.tried[change.kind] += 1
