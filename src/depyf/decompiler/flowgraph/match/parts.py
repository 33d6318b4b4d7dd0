"""Collects the tests that a ``case`` applies to the subject and its parts into patterns."""

from __future__ import annotations

from ...syntax import nodes


class NoCase(Exception):
    """The code is not that of a case."""


class PatternPart:
    """A value that a pattern is matched against, with what is known of the pattern so far."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.copies: list[PatternPart] = []  # further tests of the same value: the pattern before `as`
        self.value: nodes.Expression | None = None
        self.singleton: tuple[object] | None = None
        self.is_sequence = self.is_mapping = False
        self.size: tuple[str, int] | None = None
        self.items: list[PatternPart] = []
        self.star: int | None = None
        self.taken: dict[int, PatternPart] = {}  # items of a sequence that is not unpacked
        self.keys: list[nodes.Expression] = []
        self.rest: str | None = None
        self.cls: nodes.Expression | None = None
        self.attributes: list[str] = []
        self.alternatives: list[PatternPart] = []

    def pattern(self) -> nodes.pattern:
        """Return the pattern as syntax."""
        found = self._own()
        for pattern in [copy.pattern() for copy in self.copies]:
            if pattern != nodes.MatchAs():
                if found is not None:
                    raise NoCase("two patterns for one value")
                found = pattern
        if len(self.names) > 1:
            raise NoCase("two names for one value")
        if self.names:
            return nodes.MatchAs(found, self.names[0])
        return found or nodes.MatchAs()

    @property
    def is_tested(self) -> bool:
        """Whether the value itself is tested, not only a copy of it."""
        asked = (self.value, self.singleton, self.cls)
        return any(one is not None for one in asked) or bool(self.is_sequence or self.is_mapping or self.alternatives)

    @property
    def binds(self) -> bool:
        """Whether the pattern binds a name."""
        parts = [*self.copies, *self.items, *self.taken.values(), *self.alternatives]
        return bool(self.names or self.rest) or any(part.binds for part in parts)

    def _own(self) -> nodes.pattern | None:
        if self.value is not None:
            return nodes.MatchValue(self.value)
        if self.singleton is not None:
            return nodes.MatchSingleton(self.singleton[0])
        if self.cls is not None:
            count = len(self.items) - len(self.attributes)
            patterns = [item.pattern() for item in self.items]
            return nodes.MatchClass(self.cls, patterns[:count], list(self.attributes), patterns[count:])
        if self.is_sequence:
            return nodes.MatchSequence(self._sequence())
        if self.is_mapping:
            return nodes.MatchMapping(list(self.keys), [item.pattern() for item in self.items], self.rest)
        if self.alternatives:
            return nodes.MatchOr([one.pattern() for one in self.alternatives])
        return None

    def _sequence(self) -> list[nodes.pattern]:
        if self.items:
            found = [item.pattern() for item in self.items]
            if self.star is not None:
                star = found[self.star]
                if not isinstance(star, nodes.MatchAs) or star.pattern is not None:
                    raise NoCase("a pattern for the rest of a sequence")
                found[self.star] = nodes.MatchStar(star.name)
            return found
        if self.size is None:
            return [nodes.MatchStar()]
        operator, size = self.size
        if operator == "==":
            return [nodes.MatchAs() for _ in range(size)]
        before = max([index + 1 for index in self.taken if index >= 0], default=0)
        after = max([-index for index in self.taken if index < 0], default=0)
        before = size - after if not before or before + after > size else before
        if before < 0:
            raise NoCase("an item beyond a sequence's length")
        first = [self.taken.get(index, PatternPart()).pattern() for index in range(before)]
        last = [self.taken.get(index, PatternPart()).pattern() for index in range(before - size, 0)]
        return [*first, nodes.MatchStar(), *last]
