def alone(w):
    with w():
        return None


def in_a_handler(w):
    try:
        f()
    except (E, F):
        with w():
            return None


def in_a_body(w):
    try:
        with w():
            return
    except (E, F):
        f()


def before_else(w, a):
    with w() as v:
        if a:
            return x
        else:
            f()


def in_a_try(w):
    with w():
        try:
            f()
        except E:
            return True
        else:
            f()


def before_a_raise(a, w):
    with w() as v:
        match a:
            case [x, *_]:
                return None
        raise E(a) from None


def of_two_items(w, a):
    with w() as v, a.b(c):
        if a:
            return x
        else:
            f()


def after_cases(w, a):
    with w() as v, a.b():
        match a:
            case f(x, y=1):
                f()
            case a.c:
                v()
        return None
