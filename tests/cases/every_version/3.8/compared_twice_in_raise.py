def raised(a, b, c):
    raise ValueError(a < b < c)


def asserted(a, b, c):
    assert a, b < c < d
    return [x for x in a if b(a < x < c)]


if a:
    raise ValueError(a < b < c)
raise KeyError(a < b < c < d)
