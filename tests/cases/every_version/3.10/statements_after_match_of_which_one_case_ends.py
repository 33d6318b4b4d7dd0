def f(a):
    match a:
        case g(x, y=1):
            f()
        case None:
            raise E(a) from None
        case _:
            raise E
    x = a or g(12)


def of_a_value(a):
    match a:
        case 1:
            f()
        case None:
            raise E(a) from None
        case _:
            raise E
    x = a or g(12)
