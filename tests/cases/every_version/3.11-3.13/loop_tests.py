def leaves_at_the_top(x, y):
    while x.more():
        if not y.more():
            break
        y.next(x)
    return x


def returns_what_the_end_does(self, n):
    while n:
        if self.a:
            return -1
        n = self.next(n)
        if self.b:
            return -1
    return -1


def continues_at_the_top(x, y):
    while x.more():
        if x in y:
            y = y[x]
            continue
        y.add(x)
        x = y
    return x


def empty_body(x, y):
    while x.more(y):
        pass
    x.y = y


def breaks_to_the_end(x):
    try:
        x()
    except OSError as error:
        for e in error.list:
            if hasattr(e, 'x'):
                break
        else:
            raise
