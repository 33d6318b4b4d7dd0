def begins_with_constants(a):
    return [1, 2, 3, *a], (1, 2, 3, *a), {1, 2, 3, *a}


def calls(f, a):
    return f(1, 2, 3, *a), f('b', None, True, *a, c=4)


def elsewhere(a, b):
    return [*a, 1, 2, 3], {b, 1, 2, *a}, {1, 2, *a, 3, 4, 5}, [1, 2, *a]


def statements(a):
    for b in [1, 2, 3, *a]:
        print(b)
    c = {1, 2, 3, *a}
    return c
