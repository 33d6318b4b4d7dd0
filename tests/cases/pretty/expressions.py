def displays(a, b):
    return [1, 2, 3], [*a, b], {1, 2, a}, {'x': a, **b}, (a, *b), {**a, 'k': 1}, ()


def comprehensions(rows):
    a = [x for row in rows if row for x in row if x > 1]
    b = {x: y for x, y in rows}
    c = {x.key for x in rows}
    return sum(x for x in a), b, c


def calls(f, a, b):
    f(a, *b, k=1, **a)
    f(*a)
    f(**b)
    f.g(a)(b).h[0](k=a, j=b)
    return f()


def operators(a, b):
    return -a + b * (a - b) ** 2 // ~b, a @ b, (a & b | a ^ b) << 2, a[b], a[1:b, ::2], a[:]


def strings(a, b):
    return f'{a!r:>{b}} and {b:.2f}{{}}', '%s of %d' % (a, b), b'\x00'


def stores(o, v):
    o.a = o.b = v
    o[0], o.c = v, o
    (a, b), *c = v
    o.a += 1
    o[v] *= 2
    a, b = b, a
    del o.a, o[v], a
    return b, c


def walrus(f):
    if (n := f()) > 1:
        return n
    while chunk := f(n):
        print(chunk)
