"""Rules: how the structurer decides, one pattern after the other."""

from __future__ import annotations

from typing import Callable, Collection, Generic, TypeVar

S = TypeVar("S")
A = TypeVar("A")


class Rules(Generic[S, A]):
    """The rules of one ``decision``, in the order in which they are asked; the first that has an answer decides.

    A rule is a function of the situation: its docstring says which pattern it recognises, and by what. It gives None if
    it does not recognise its own. Its name, for whoever switches it off, is the decision's and the function's.
    """

    def __init__(self, decision: str, *rules: Callable[[S], A | None]) -> None:
        self.decision = decision
        self.rules = {f"{decision}:{rule.__name__.strip('_').replace('_', '-')}": rule for rule in rules}

    def decide(self, situation: S, skipped: Collection[str] = ()) -> A | None:
        """The answer of the first rule that has one; None if no rule has. Those named in ``skipped`` are not asked."""
        for name, rule in self.rules.items():
            if name not in skipped:
                answer = rule(situation)
                if answer is not None:
                    return answer
        return None
