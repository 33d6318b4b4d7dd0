def a(m):
    assert 1 <= m <= 12, m
    return m


def b(m):
    if 1 <= m <= 12:
        return 1
    return m


def c(m):
    if not 1 <= m <= 12:
        raise E
    return m


def d(m, x):
    return x < m() < 3


def e(m, x):
    while x < m < 3:
        x()


def g(m, x):
    if x and 1 < m < 3 or x():
        return 1
    return [y for y in x if 1 < y < 3]


def h(m, x):
    z = 1 < m < 3 < x
    return f(1 < m < 3)


def i(m, x):
    z = 1 < m < 3
    return z


def k(m, x):
    return f(1 < m < 3)


def l(m, x):
    return 1 < m < 3 < x


def conditional_value(a, b, c):
    if a:
        pass
    return b() if 0 <= a() < c else c()


def conditional_value_kept(a, b, c):
    x = b if 0 < a < c else c
    return x
