def at_the_end_of_the_loop(a, b):
    while True:
        b()
        if not a:
            raise ValueError


def in_else(a, b):
    while True:
        if a:
            b()
        else:
            raise ValueError


def behind_continue(a, b):
    while True:
        if a:
            b()
            continue
        raise ValueError


def in_the_middle(a, b):
    while True:
        if a:
            raise ValueError
        b()


def from_two_places(a, b):
    while True:
        if a:
            break
        b()
        if a.b:
            break
        a()
    raise ValueError


def after_a_handler_with_a_name(a, b):
    while True:
        try:
            a()
        except ValueError as error:
            continue
        else:
            b()
        return a


def in_else_of_try(a, b):
    try:
        a()
    except ValueError:
        raise KeyError
    else:
        while True:
            b()


def below_try(a, b):
    try:
        a()
    except ValueError:
        raise KeyError
    while True:
        b()


def in_else_of_if(a, b):
    if a:
        return b
    else:
        while True:
            b()


def below_if(a, b):
    if a:
        return b
    while True:
        b()


def assertion_at_the_end(a, size):
    while True:
        try:
            next(a)
        except StopIteration:
            break
        assert 0 <= a.index <= size


def below_try_in_the_loop(a, b):
    while True:
        try:
            if a:
                continue
            next(a)
        except StopIteration:
            b()
        raise ValueError


def returned_below_try_in_the_loop(a, b):
    while True:
        try:
            if a:
                continue
            next(a)
        except StopIteration:
            b()
        return a
