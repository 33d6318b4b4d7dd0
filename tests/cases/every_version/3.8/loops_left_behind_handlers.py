def f(a):
    i = 0
    while True:
        try:
            b = list(a)
        except RuntimeError:
            i += 1
            if i >= 1000:
                raise
        else:
            break
    b.sort()
    return b


def g(a):
    while True:
        try:
            b(a)
        except RuntimeError:
            a += 1
        else:
            break
    b(a + 1)
