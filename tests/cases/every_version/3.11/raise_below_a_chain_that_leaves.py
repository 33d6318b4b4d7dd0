def raised(a, b):
    if a:
        print(a)
    elif b:
        raise KeyError(a)
    else:
        return b
    raise ValueError


def returned(a, b):
    if a:
        print(a)
    elif b:
        return None
    else:
        print(b)
        return
    return True


def second_goes_on(a, b):
    if a:
        return b
    elif b:
        print(a)
    else:
        raise KeyError(a)
    raise ValueError


def third_goes_on(a, b, c):
    if a:
        return b
    elif b:
        raise ValueError
    elif c:
        print(a)
    else:
        raise KeyError(a)
    return True


def below_elif_with_finally(a, b):
    if a:
        raise KeyError(a)
    elif b:
        try:
            return b()
        finally:
            a()
    print(b)


def below_two_of_them(a, b, c):
    if a:
        return a
    elif b:
        try:
            return b()
        finally:
            a()
    elif c:
        try:
            return c()
        finally:
            b()
    print(b)
    return c
