def opened(x, y, a, b):
    if x in a and not y:
        raise ValueError
    if x not in a or not y:
        return a
    if x in a and not (y and y(b)):
        a()
    elif x not in a and not b(x):
        b()
    while x in a and not y.z:
        y()
    return [x for x in b if x not in a and not y(x)]


def asserted(x, y, a):
    assert x in a or not y
    assert x is not None and not y, a
