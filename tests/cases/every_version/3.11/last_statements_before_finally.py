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


def below_a_test(a):
    try:
        if a:
            f()
        return None
    finally:
        f()


def in_a_handler(a):
    try:
        f()
    except E:
        if a:
            f()
        return None
    finally:
        f()


def in_else(a):
    try:
        f()
    except E:
        raise E
    else:
        return
    finally:
        h()
