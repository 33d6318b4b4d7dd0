def none():
    try:
        f()
        return None
    finally:
        f()


def nothing(a):
    try:
        if a:
            f()
            return
        g()
    finally:
        f()


def before_handlers():
    try:
        f()
        return
    except E:
        g()
    finally:
        f()


def in_a_loop(a):
    for i in a:
        try:
            f()
            return None
        finally:
            f()


def repeated(a):
    for i in a:
        try:
            f()
            continue
        finally:
            f()
