def a_return_and_nothing_else():
    with f():
        return


def two_items():
    with f() as x, y.z(1):
        return


def a_return_after_a_condition(x):
    with f() as y, g(x):
        if x:
            y()
        return
