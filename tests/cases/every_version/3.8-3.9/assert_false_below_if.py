if not d:
    assert False
if a:
    x()
    if b and c:
        pass
    else:
        y()
elif not d:
    assert False


def f(a, d):
    if a:
        print(a)
    elif not d:
        assert False, 'never'
    return a
