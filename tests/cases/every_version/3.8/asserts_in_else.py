def f(s, pos):
    while pos < len(s):
        if s[pos] == '\n':
            a()
        else:
            if s[pos] == '\t':
                b()
            else:
                assert s[pos] == 'x'
                c()
            d()


def g(a, b):
    if a:
        b()
    else:
        assert a.b
        c()
        d()


def h(a, b):
    if a == 1:
        b()
    elif a == 2:
        b.c()
    else:
        assert a.b
        c()
    d()


def i(a):
    for x in a:
        if x:
            b()
        else:
            assert x.y == 3
            c()
            if x.z:
                d()


def m(a):
    if a:
        b()
    else:
        assert a.b, c
        assert a.c and a.d, d
        e()
    while a:
        assert a.b
        f()
