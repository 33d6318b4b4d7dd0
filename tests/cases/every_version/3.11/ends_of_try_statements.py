def passes(a):
    try:
        a()
    except ValueError:
        pass


def passes_with_a_name(a):
    try:
        a()
    except ValueError as error:
        pass


def passes_in_one_of_several(a, b):
    try:
        a()
    except (ValueError, TypeError):
        pass
    except KeyError:
        b()
    except Exception:
        return


def passes_in_a_condition(a, b):
    if b:
        try:
            a()
        except ValueError:
            pass
    else:
        b()


def returns(a):
    try:
        a()
    except ValueError:
        return


def returns_with_a_name(a):
    try:
        a()
    except ValueError as error:
        return


def loop_before_finally(a, b):
    try:
        for x in a:
            b(x)
    finally:
        a.close()


def return_after_loop_before_finally(a, b):
    try:
        for x in a:
            b(x)
        return
    finally:
        a.close()
