def j(a):
    if a:
        b()
    elif not a.b:
        assert False
    else:
        c()
        d()


def k(a):
    if a:
        b()
    elif not a.b:
        raise AssertionError
    else:
        c()
        d()
