def f():
    try:
        a()
    finally:
        match b:
            case 'fail':
                raise
    return c()


def g():
    try:
        a()
    finally:
        match b:
            case 'fail':
                raise
            case 4:
                return 5
            case _:
                c()
    return c()


def h():
    try:
        a()
    finally:
        match b:
            case 'fail':
                c()
    return c()


def i():
    try:
        a()
    finally:
        match b:
            case C(x):
                return x
    return c()


def j():
    try:
        a()
    finally:
        match b:
            case C(x):
                raise x
            case C(y):
                return y
    return c()
