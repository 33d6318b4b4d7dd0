def tested_at_the_top(a, b):
    while a and b or a.x:
        b()
        while not b:
            a()
    return b


def left_by_raising(node):
    while node.type != 1:
        node = node.parent
        if not node:
            raise ValueError('root')
    return node


def endless(a, b):
    while True:
        if not a:
            break
        b()
    a()


def asserts(x, f):
    assert x
    assert x, (1, 2)
    assert not x
    assert x and f, 'both'
    assert x or f, x
    if x:
        raise AssertionError
    if f:
        raise AssertionError(x)


def chained(c):
    return f(c) or 65 <= g(c) <= 70 or 97 <= g(c) <= 102
