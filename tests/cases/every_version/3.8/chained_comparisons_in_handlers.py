def repeated(a):
    try:
        f()
    except E:
        g()
    except F:
        while 0 < a <= 3:
            f()
    finally:
        h()


def before_a_comprehension(a, c):
    try:
        f()
    except E:
        if 0 < a <= 3:
            x = [i for i in c]
    f()
