def pattern_as_wide_as_a_return(x):
    try:
        f()
    except E:
        match x:
            case [y, 1]:
                f(y)


def case_with_an_endless_loop(x):
    match x:
        case 1:
            while True:
                f()


def return_after_it(x):
    match x:
        case 1:
            while True:
                f()
    return x


def return_of_with(x):
    with f():
        match x:
            case {'k': y}:
                return None
        return True


def last_return_of_with(x):
    with f() as y, g(x):
        match x:
            case g(z, w=1):
                f()
            case d.e:
                y()
        return


def try_after_a_case(x):
    match x:
        case None:
            f()
    try:
        g(x)
    except E:
        return g(2)


def finally_after_a_case(x):
    match x:
        case [y, *_]:
            raise E
    try:
        f()
    finally:
        g(y)
