def one_handler(x):
    try:
        return y
    except E:
        f()
    return True


def in_the_handler(x):
    try:
        return y
    except E:
        f()
        return True


def alone_in_the_handler(x):
    try:
        return y()
    except E:
        return True


def handler_that_passes(x):
    try:
        return y()
    except E:
        pass
    return True


def in_a_loop(x):
    for z in x:
        try:
            return y()
        except E:
            pass
        except F:
            f()
    return True


def handler_with_a_name(x):
    try:
        return y()
    except E as e:
        f(e)
    return None


def two_names(x):
    try:
        return y()
    except E as e:
        f(e)
    except F as e:
        pass
    return False


def in_both(x):
    try:
        return y()
    except E as e:
        f(e)
        return False
    except F as e:
        return False
