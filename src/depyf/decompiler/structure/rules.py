"""Rules: the structurer decides by trying one pattern after the other."""

from __future__ import annotations

from typing import Callable, Collection, Generic, TypeVar

S = TypeVar("S")
A = TypeVar("A")


class Rules(Generic[S, A]):
    """The rules of one ``decision``, in the order in which they are tried; the first that returns an answer decides.

    A rule is a function of the situation. Its docstring says which pattern it recognises, and how; it returns None for
    any other. Its name, by which it can be skipped, consists of the decision's name and the function's.
    """

    def __init__(self, decision: str, *rules: Callable[[S], A | None]) -> None:
        self.decision = decision
        self.rules = {f"{decision}:{rule.__name__.strip('_').replace('_', '-')}": rule for rule in rules}

    def decide(self, situation: S, skipped: Collection[str] = ()) -> A | None:
        """Return the first answer of a rule, None if there is none. Rules named in ``skipped`` are not tried."""
        for name, rule in self.rules.items():
            if name not in skipped:
                answer = rule(situation)
                if answer is not None:
                    return answer
        return None
