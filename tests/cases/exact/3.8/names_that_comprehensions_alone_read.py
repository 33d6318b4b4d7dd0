"""A variable that the function never binds, and that only a comprehension reads."""


def annotated(items):
    x: int
    return [x for item in items]


def dead(items):
    if 0:
        y = 1
    return {y: item for item in items if y}
