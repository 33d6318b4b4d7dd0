def f(a):
    for b in range(a):
        for c in b.d(a):
            pass
    e = g(1)
    return e
