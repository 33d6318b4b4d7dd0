"""``and`` and ``or`` in the arms of conditional expressions, whose tests the compiler leads past that of the whole."""


def in_with(a, x, c, b, f, y):
    with a:
        return (x if c else (b or f)) or y


def in_a_generator(x, c, b, f, y):
    yield (x if c else (b or f)) or y
    yield (x if c else (b and f)) or y
    yield (x if c else (b and f)) and y
    yield (x if c else (b or f)) and y
    yield (x if c else (b or f or y)) or y or x
    yield x if c else b or f
    yield f(x if c else b and f) or y
    yield (b and f if c else x) or y
    yield (b or f if c else x) or y


def in_try(x, c, b, f, y):
    try:
        b = ((not x if b or f else c) or y) and x
        c = [(x if b and not c else b or f or not y) or x, y]
    except ValueError:
        return (x if c else b or f) or y
