def two_handlers_that_fall_off():
    try:
        return x
    except E:
        f()
    except F:
        y = g()
    return True


def before_an_else(x):
    try:
        f()
    except E:
        f()
    else:
        y = [z for z in x]
    return True


def after_assertions(x):
    try:
        f()
    except (E, F):
        if x:
            assert x, 14
    else:
        f()
        f()
    return True
