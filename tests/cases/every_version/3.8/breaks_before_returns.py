def alone(x):
    while True:
        if x:
            break
    return y


def after_statements(x):
    while True:
        y = x()
        if y:
            break
        x(y)
    return y


def two_breaks(x):
    while True:
        y = x()
        if y:
            z = 1
            break
        if z:
            x()
            break
        x(y)
    return z.y


def of_a_test(x):
    while x:
        x = f(x)
        if x:
            break
    return x


def in_a_handler(x):
    while True:
        try:
            x()
        except E:
            break
    return x


def before_statements_and_a_constant(x):
    while True:
        y = x.read()
        if not y:
            break
        x(y)
    x.close()
    return True


def before_a_constant(x):
    while True:
        y = x.read()
        if not y:
            break
        x(y)
    return -1
