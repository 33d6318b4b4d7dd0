def leaves_or_falls(a):
    try:
        b()
        if a:
            c()
            raise ValueError
    finally:
        d()


def returns_in_try(a):
    try:
        b()
        if a:
            c()
            raise ValueError
        return
    finally:
        d()


def deletes_last(a):
    try:
        del a
    except TypeError:
        raise ValueError
    finally:
        a = None


def tries_in_finally(a):
    try:
        b(a)
    finally:
        try:
            c(a)
        except OSError:
            pass


def returns_behind_finally(a):
    if a:
        try:
            b(a)
        finally:
            c(a)
        return 1
    d()
    e()


def returns_behind_handlers(a):
    try:
        if a:
            return 3
    except ValueError:
        b()
        return 1
    return None


def returns_in_front_of_handlers(a):
    try:
        if a:
            return 3
        return None
    except ValueError:
        b()
        return 1


def behind_a_clause_that_raises(a):
    b = 0
    try:
        c(a)
    except ValueError:
        if b:
            raise
    return 'done'


def one_of_two_in_try(a, b):
    try:
        return a if b(a) else None
    except ValueError:
        return b


def one_of_two_in_a_clause(a, b):
    try:
        with a:
            return b
    except ValueError:
        return not a if b(a) else b
    except OSError:
        return 1 if b else 2 if a else a.c


def one_of_two_in_with_and_try(a, b):
    try:
        with a:
            return a if b() else b
    except ValueError:
        b()
    return None


def two_of_two_in_try(a, b):
    try:
        if a:
            return b
        return a
    except ValueError:
        if b:
            return a
        return b
