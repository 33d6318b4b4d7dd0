"""Chained comparisons with None at their end."""


def none_0(root):
    assert root.a is root.b is None


async def none_1(root):
    assert root.a is root.b is None


def none_2(root):
    assert root.a < root.b < 5
    g()
    assert root.a is root.b is None, 5


def none_3(root):
    if root.a is root.b is None:
        return 5
    while a is b is not None:
        g()
    x = a is b is None
    return a is b is None
