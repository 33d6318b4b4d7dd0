def chain(x, y):
    if x == 1:
        r = 'one'
    elif x == 2:
        return y
    elif x == 3 and y:
        r = 'three'
    else:
        raise ValueError(x)
    return r


def guards(a, b):
    if not a:
        return None
    if a and b or not b:
        a()
    else:
        b()
    return a


def values(a, b, c):
    x = a and b or c
    y = a if b else c
    z = a if b and c else b if a else c
    return x, y, z, not a, not (a or b), a is not None


def compared(a, b, c):
    if a < b <= c:
        return a < b < c
    if not a < b < c:
        a()
    while 0 <= a < b:
        a += 1
    return a not in b, a is b


def asserted(a, b):
    assert a and b
    assert a.x, 'no x'
    assert not b, f'{b} is set'
