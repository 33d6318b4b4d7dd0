def last():
    while x:
        if y:
            break


def before_a_return():
    while x:
        if y:
            break
    return 5


def called():
    while x():
        if not y():
            break
    z()


def in_an_endless_loop():
    while True:
        if not x or y:
            break
    return 5


def with_else(a):
    while x:
        if y:
            break
    else:
        a()
