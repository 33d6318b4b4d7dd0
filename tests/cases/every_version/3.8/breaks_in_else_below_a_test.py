def a(n, L):
    while n is not None:
        if n.t in (N.A, N.B):
            L.insert(0, n.d)
            n = n.p
        else:
            break
    n = L.s
    if not n:
        g()
    h()
    return n.foo(L, L)


def b(n, L):
    while n is not None:
        if n.t in (N.A, N.B):
            break
        L.insert(0, n.d)
        n = n.p
    n = L.s
    if not n:
        g()
    h()
    return n.foo(L, L)
