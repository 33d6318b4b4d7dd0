def g(y):
    return not not y


def h(y):
    x = not not y
    if y:
        return f(not not y(), not not not y)
    return bool(y), x
