def f():
    __firstlineno__ = 1

    class C:
        nonlocal __firstlineno__

    return C


class D:
    global __firstlineno__
