def before_a_return(x):
    if x:
        while True:
            f(x)
    return g(x)


def before_statements(x):
    if x:
        while True:
            f(x)
    g(x)
    return x


def before_else(x):
    if x:
        while True:
            f(x)
    else:
        return g(x)
