class A:
    global AssertionError
    x = AssertionError


class B:
    assert y, z
    assert w


class C:
    global AssertionError
    assert y
    x = AssertionError


def f():
    AssertionError = 2

    class E:
        global AssertionError
        y = AssertionError

    def g():
        global AssertionError
        assert y
        return AssertionError
