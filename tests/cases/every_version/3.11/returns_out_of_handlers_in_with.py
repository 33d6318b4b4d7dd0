def f(w):
    with w():
        try:
            f()
        except E:
            g()
            return
        else:
            h()


def with_value(w):
    with w():
        try:
            f()
        except E:
            g()
            return None
        else:
            h()


def with_evaluated_value(w):
    with w():
        try:
            f()
        except (E, F):
            return x
        else:
            f()
