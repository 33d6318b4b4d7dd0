def broken_at_the_top(a, b):
    while True:
        if not a:
            break
        b()
    raise ValueError


def broken_in_the_middle(a, b):
    while True:
        a()
        if not b:
            break
        b()
    raise ValueError(a)
