"""The second operand of a test is below the first one, in the column of it."""


def operands(a):
    b = a[:12]
    if b == 'c' or b.d('c-'):
        return 'c'
    if b in ('e', 'f') or b.d(('g', 'h')):
        return 'i'
    return a


def operands_in_a_loop(a, b):
    for c in a:
        b = 3
        if c in (4, 5) or c.d(b):
            return 'e'
    return b


def nested(a):
    b = 3
    if not a in (4, 5):
        if a.c(b):
            return 'd'
    return a
