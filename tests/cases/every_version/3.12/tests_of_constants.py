"""Tests that nothing evaluates: what is left of them is a position."""


def never(a):
    b(a)
    if not __debug__:
        pass
    with c(a):
        d()


def always():
    if True:
        raise ValueError('e')


def one_trip():
    while True:
        yield 1
        raise ValueError('f')


def at_the_end(a):
    b(a)
    if False:
        pass


def another_at_the_end(a):
    b(a)
    while 0:
        pass


def not_at_the_end(a):
    for b in a:
        if b:
            return b
    return None
