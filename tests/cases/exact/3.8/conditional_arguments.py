def of_a_call(self, force):
    x = type(self)(0 if force else self.pending, closed=True)
    return x.f(0 if force else self.pending, closed=True)


def of_what_a_call_returns(self, force):
    return type(self)(0 if force else self.pending, 5)


def of_a_name(self, force):
    return f(0 if force else self.pending, closed=True)


def calls(a, b, c):
    if a:
        return f(a(1) if c else b(1), 5)
    return f(a or b, 5)


def of_what_is_raised(a, b, c):
    if a:
        raise E(a if b else c, 1) from c
    with x:
        return {a: b if c else a}, [a and b, c]


def operators(a, b, c):
    if a:
        return (a if b else c) + 1 + (1 if a else 2)
    return (a if b else c)[1] < 5


def whole_calls(a, b, c):
    if a:
        return f(1, 5)
    return f(1, 5) if b else f(2, 5)


def in_a_call(a, b, c):
    if c:
        return k(x < b < c, c)
    return k(not (x and b), c)


def as_a_statement(a, b, c):
    f(a if b else c, 1)


def in_each_other(a, b, c):
    if a:
        return f((1 if a else 2) if b else 3, c)
    return f(h(1 if a else 2) if c else 0, c)
