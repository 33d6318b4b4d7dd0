def f():
    [a for a in b] if c else 0
    pass
    pass


def g():
    pass
    [a for a in b] if c else {d for d in e}
    pass
    z


[a for a in b] if c else 0
pass
pass
