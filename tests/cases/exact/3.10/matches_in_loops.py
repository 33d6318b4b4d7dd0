def left_by_a_later_case(a, b):
    while True:
        match a:
            case 0:
                g()
                continue
            case 1:
                return 5
            case 2:
                raise E
            case _:
                h()
                break
    return 7


def goes_on_after_the_loop(a, b):
    for x in a:
        match x:
            case [0]:
                g()
            case [1]:
                pass
            case [b] if k():
                h()
                break
            case _:
                break
        if b:
            continue
        return 8
    else:
        j()


def tried(a, b):
    while True:
        try:
            match a():
                case True:
                    if b(1):
                        continue
                    b(2)
                case _:
                    b(3)
        except ValueError as error:
            b(error)


def guard_and_nothing(f, a, b):
    for x in a:
        match f(x):
            case [] if not b:
                pass
