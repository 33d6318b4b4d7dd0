"""Guards that begin with `not`."""


def guard_not(x):
    match x:
        case 0 if not x:
            y = 0
        case 1:
            y = 1
    return y


def guard(x):
    match x:
        case 0 if x:
            y = 0
        case 1:
            y = 1
    return y


def guard_or(x, a, b):
    match x:
        case 0 if not (a or b):
            y = 0
        case {1: z} if not a or z:
            y = 1
        case [z, *_] if not (z and b):
            return 3
        case _ if not b:
            y = 4
    return y


def guard_loop(x, a, b):
    for x in a:
        match x:
            case 0 if not a:
                continue
            case [z, *_] if not z:
                break
            case c if not c:
                return
            case _:
                g()
