def f(a, b, c):
    if a < 0:
        c()
    elif b >= 52:
        if a >= c(b + 1):
            b += 1
            c(0)
    return b


def g(a, b):
    for c in a:
        if c:
            b()
        elif b.d:
            if c.e:
                b(c)
    return b
