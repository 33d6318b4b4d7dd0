"""Tests that the compiler leaves out of the ranges of handlers, where it makes one jump to another."""


def in_generator_expressions(array, a):
    if any((f(x) and (x.d == a or x.s != a.s)) or (g(x) and h(x)) for x in array):
        return list(x.a and (x.d or x.s) or x.j for x in array)
    return [x.a and (x.d or x.s) or x.j for x in array]


def in_bodies(x):
    try:
        y = x.a and (x.d or x.s) or x.j
    except E:
        return x.a and (x.d or x.s) or x.j
    finally:
        z = x.a and (x.d or x.s) or x.j
    with x.a and (x.d or x.s) or x.j as w:
        return f(w, x.a and (x.d or x.s) or x.j)


def in_generators(x):
    for y in x:
        try:
            yield x.a and (x.d or x.s) or x.j
        except E:
            yield (x.a or x.b) and (x.c or x.d) and x.e


async def in_coroutines(x):
    async with x.a and (x.d or x.s) or x.j:
        for y in await x:
            return (x.a or x.b) and (x.c or x.d) or x.e


def f(self, rules):
    for rule in rules:
        yield [(e and not a) and X, m()]
def g(self, rules):
    for rule in rules:
        yield [e and not a and X, m()]
def h(self, rules):
    for rule in rules:
        yield [(e and a) and X, m()]
def i(self, rules):
    try:
        x = (e and a or b) and X
        x = (e and not a) or X
        x = (e or not a) and X
        x = (e and not a and b) and X
        x = (e or not a) or X
        x = (e and (not a or b)) and X
        x = e and (not a and b)
        x = [(e and (not a and b)) and X, d and e]
    except E:
        pass
