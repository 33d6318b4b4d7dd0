"""Free variables that a declaration names, and nothing reads."""


def declared():
    cell = other = 1

    def only():
        nonlocal cell

    def first():
        nonlocal cell, other
        return f()

    def documented():
        """With a docstring."""
        nonlocal other
        for x in y:
            g(x)

    return only, first, documented


class A:
    def asks(self):
        nonlocal __class__
        return self

    def inside(self):
        def inner():
            nonlocal __class__
            return 1

        return inner


def hidden():
    class super:
        name = 'another one'

    class B:
        def method(self):
            return super().name

    return B
