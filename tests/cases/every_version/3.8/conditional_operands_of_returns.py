def f(a, b, c, d):
    return a and (b if c else d)


def g(a, b, c, d):
    if a:
        return a or (b.x if c and d else d if d() else a[0])
    with a:
        return a and (b if c else d)
    try:
        return a and (b if c else d)
    except ValueError:
        return b
    finally:
        d()


h = lambda a, b, c, d: a and b and (c if d else a)
k = lambda a, b, c, d: a or b and (c if d else a) or d
m = lambda a, b, c, d: a or (b < c < d if d else a)
