def f():
    if False:
        x = 0

    def inner(arg: x, *args: *x):
        pass

    return inner
