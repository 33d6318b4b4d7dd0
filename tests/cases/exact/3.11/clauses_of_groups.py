def a_chained_comparison():
    try:
        a
    except* ValueError:
        if 0 <= a < b:
            pass


def a_try_statement():
    try:
        assert a, a
    except* ValueError:
        try:
            d += 1
        except:
            a = (a, a)


def another_one_of_groups():
    try:
        a = b
    except* ValueError:
        try:
            a
        except* ValueError:
            pass


def a_match_statement(a):
    try:
        a
    except* ValueError as e:
        match a:
            case 1:
                g(e)
            case [x]:
                h()
        k()


def ends_at_several_places(a):
    try:
        a
    except* ValueError as e:
        with x:
            if a:
                g()
            elif b:
                raise
        for x in y:
            if a:
                break
            if b:
                continue
        else:
            h()
    else:
        g()
    b()


def a_finally_at_the_end(a):
    try:
        a
    except* F:
        try:
            b()
        finally:
            c()


def finally_around_and_inside(a):
    try:
        a
    except* F as e:
        try:
            b()
        except E:
            pass
        finally:
            c()
    except* G:
        with x:
            if a:
                g()
            else:
                for x in y:
                    if k:
                        break
    finally:
        try:
            d()
        except* H:
            while a:
                b()


def all_leave():
    try:
        k()
    except* ValueError:
        raise
    except* E:
        raise X
    g()


def all_leave_and_else():
    try:
        k()
    except* ValueError:
        raise
    else:
        g()
    h()


def all_leave_and_else_at_the_end():
    try:
        k()
    except* ValueError:
        raise
    else:
        g()


def raises_behind_another_one():
    try:
        a
    except* ValueError:
        try:
            a = a
        except* ValueError:
            raise KeyError
        raise KeyError


def names_in_both(a):
    with x:
        try:
            a
        except* F as e:
            try:
                raise
            except* K as k:
                a


def returns_behind(a):
    try:
        assert a, a
    except* ValueError:
        if 0 <= a < a:
            del a
    return a


def returns_behind_both():
    try:
        try:
            raise a
        except* ValueError:
            pass
    except* ValueError:
        pass
    return 0


def returns_behind_else(a):
    try:
        try:
            a()
        except* ValueError:
            pass
        else: b()
    except* ValueError:
        if a: b()
    return a.b


def returns_a_call(a):
    try:
        a()
    except* ValueError:
        pass
    except* K as e:
        g(e)
    else:
        b()
    return a.b()


def returns_in_the_body(a):
    try:
        return g(a)
    except* ValueError:
        pass
    except* K as e:
        g(e)
    return 8


def two_in_a_loop_with_else(a, b):
    for x in a:
        try:
            b(x)
        except* ValueError:
            a.value()
        except* (KeyError, IndexError):
            raise
        else:
            b.good(x)
    return 3
