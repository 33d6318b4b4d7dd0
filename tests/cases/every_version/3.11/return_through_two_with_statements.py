def in_elif(a, b, c):
    if a:
        print(a)
    elif b:
        with b() as first, c:
            return None
    else:
        print(b)
    return first


def nested(a, b, c):
    if a:
        with b() as first:
            with c:
                first()
                return
    return b


def conditional(a, b, c):
    with b() as first, c:
        if first:
            return None


def before_more(a, b, c):
    with b() as first, c, a:
        if first:
            return
    print(b)


def from_a_handler(a, b, c):
    with a():
        names = {b}
        try:
            with b(names):
                try:
                    for name in names:
                        __import__(name)
                except ImportError:
                    return None
                return c(names)
        finally:
            c.close()
            a.close()
