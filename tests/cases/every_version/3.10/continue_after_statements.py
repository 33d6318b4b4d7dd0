def after_with(x):
    while x:
        with f() as y:
            y()
        continue


def after_try(x):
    while x:
        try:
            f()
        except E:
            g()
        continue


def after_else(x):
    while x:
        try:
            f()
        except E:
            g()
        else:
            h()
        continue
