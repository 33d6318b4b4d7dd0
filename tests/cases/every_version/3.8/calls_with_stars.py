def stars(f, a, b, c):
    f(*a)
    f(**b)
    f(a, *b)
    f(*a, b, *c)
    f(*a, **b)
    f(a, b=c, **b)
    f(*a, b=1, c=2)
    f(*a, *b, c=3, **c)
    f(a, *b, c=3)
    a.f(*b, **c)


def displays(a, b, c):
    x = [*a, b]
    y = (*a, *b)
    z = {*a, b, *c}
    w = {**a, 'b': c, **c}
    return x, y, z, w


def annotated(a: int, *b: str, c: float = 1, **d: list) -> dict:
    return a


class Class(*annotated, metaclass=type, **annotated):
    x: int = 1
    y: str
