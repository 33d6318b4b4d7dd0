def f(a, n):
    while a(n):
        if n.x:
            break
        n += 1
    return n


def g(f, n):
    while f := f.f_back:
        if f.x:
            break
        n += 1
    return n


def h(a, b):
    while True:
        if not a or b.c:
            break
        b += 1
    while a.c and b:
        if b.d:
            break
        b += 1
    while a:
        if b:
            continue
        b += 1
