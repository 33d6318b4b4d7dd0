def between():
    try:
        try:
            f()
        finally:
            f()
        return True
    finally:
        f()


def before_a_lambda(w, a):
    with w():
        try:
            f()
        except E:
            if a:
                return True
        finally:
            x = lambda: a + 12


def in_an_arm(w, a):
    with w():
        try:
            f()
        except E:
            if a:
                return True
        finally:
            h()


def of_a_value(w, a):
    with w():
        try:
            f()
        except E:
            if a:
                return x
        finally:
            h()
