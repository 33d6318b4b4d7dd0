def returned(a):
    return all(x for x in a)


def tested(a):
    if any(x for x in a) and not all(x + 1 for x in a):
        b()
    c()


def passed_on(a):
    z = tuple(x for x in a if x)
    f(list(x for x in a), set(x for x in z))
    return z


def inside(a):
    with a:
        return all(any(y for y in x) for x in a)


def in_a_loop(a):
    for b in a:
        if all(x for x in b):
            return b
        if any(x for x in b):
            break
    else:
        c()
