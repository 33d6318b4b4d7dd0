def f(x, b, c):
    return x and b or c


def g(x, b, c):
    q = (x or b) and c
    r = x or b and c or q
    return r or x and (b or c) and q or r


def h(x, b, c):
    x and b or c()
    if x and b or c:
        return x
    while x and b or c:
        x()
    return f(x and b or c, (x or b) and c, x and b and c or x)
