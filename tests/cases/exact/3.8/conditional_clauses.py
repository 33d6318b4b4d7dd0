"""Conditional expressions as conditions of comprehensions and generator expressions."""


def lists(a, b, c):
    return [x for x in a if (not x.y(b) if not c else x)], [x for x in a if (x.y(b) if c else x)]


def generators(a, b, c):
    yield (x for x in a if (x.y(b) if not c else x))
    yield (x for x in a if (not x.y(b) if not c else x))
    yield (x for x in a if x if (not b if c else not x) if b or c)
