def lines_of_a_condition(a, b, c, d):
    if (a <= 0 or
            b == c or
            d == c and (not a.x() and
                        a.y() is not None)):
        if b is not None:
            b.cancel()
        if not c.done():
            c.done(None)


def lines_of_a_loop(a, b):
    while (a < b
            and alive() > 0):
        for i in range(b - a):
            try:
                put(None)
                a += 1
            except Full:
                break
