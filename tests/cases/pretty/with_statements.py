def managers(a, b):
    with a:
        b()
    with a as x:
        x()
    with a as x, b as y:
        x(y)
    with a() as (x, y):
        return x


def in_loops(a, b):
    for x in a:
        with x as y:
            if y:
                break
            b(y)
    return b
