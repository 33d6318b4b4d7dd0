x = t'hello {name!r:>{w}} and {a + b} {c:x}'
y = t''
z = t'a{b}'


def f(a):
    return t'{a}{a.b()!s}'
