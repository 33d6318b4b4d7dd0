def twice(c):
    return (q := (r := c)), q, r


def in_an_exchange(z):
    x, y = z, (p := z)
    x, y = (p := z), z
    x, y, w = (p := z), z(), (q := (y := x()))
    return x, y, w, p, q


def in_a_lambda(a, b, z):
    return lambda: (y := a) if z else y if b else z
