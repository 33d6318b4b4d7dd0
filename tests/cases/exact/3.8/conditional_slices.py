"""Conditional bounds of slices in what is returned."""


def sliced_0(x):
    return (a,) + x[(1 if c else 2):]


def sliced_1(x):
    return x[(1 if c else 2):]


def sliced_2(x):
    return x[:(1 if c else 2)]


def sliced_3(x):
    z = x[(1 if c else 2):]
    return x[y:(1 if c else 2)], z


def sliced_4(x):
    x[(1 if c else 2):] = 5
    del x[(1 if c else 2):(3 if d else 4):u or v]
    return x[a or b:(1 if c else 2):d and e]


def sliced_5(x):
    return a + x[(1 if c else 2)]


def sliced_6(x):
    return a + x[(1 if c else 2):, 3]


def sliced_7(x):
    if b:
        return a + x[(1 if c else 2):]
    return C(x=x, y=x.y if z else None, u=x.u)
