def with_else(a, b):
    while True:
        if 0 < a <= 3:
            b()
        else:
            break


def of_the_loop(a, b):
    while 0 < a <= 3:
        b()


def negated(a, b):
    while True:
        if 0 < a <= 3:
            break
        b()
