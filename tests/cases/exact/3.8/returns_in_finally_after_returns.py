def conditional(a, b):
    try:
        return a()
    finally:
        if b:
            return
        print(b)


def chosen(a, b):
    try:
        return a()
    finally:
        if b:
            return b()
        else:
            print(b)


def after_a_test(a, c):
    try:
        return a()
    finally:
        assert c
        return 5


def in_a_loop(items, a, b, c):
    for item in items:
        with a:
            try:
                return a(item)
            finally:
                if b:
                    break
                elif c:
                    continue
                elif item:
                    return b(item)
                c()


def from_a_loop(a, items):
    try:
        return a()
    finally:
        for item in items:
            if item:
                return item
        print(items)


def nested(a, b, c):
    try:
        try:
            return a()
        finally:
            if b:
                return 1
    finally:
        if c:
            return 2
        print(c)
