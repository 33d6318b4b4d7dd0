def forms(f, a, b, c):
    f()
    f(a)
    f(a, b)
    f(a, key=b)
    f(*a)
    f(**a)
    f(a, *b, c)
    f(*a, *b, key=c)
    f(a, *b, key=1, **c)
    f(**a, **b)
    a.f(b)
    a.f(b, key=c)
    a[b](c)
    f(a)(b)
    return f(x for x in a)


def starred(a, b):
    x = [*a, *b]
    y = (*a, b)
    z = {*a, *b}
    return {**a, 'k': b, **x}, y, z
