"""Both ways out of `if a: pass` lead to the next test: it is no `b if a else b`, which grew with each of them."""


def tests_of_nothing(x):
    if x is x: pass
    if x in (): pass
    if x < 2: pass
    if 1 < x < 2: pass
    return x


def at_the_end(x):
    if x is x: pass
    if x in (): pass
    if x: pass
