"""Assignments that store to one name more than once."""


def stored_0(k):
    _, _, _ = k(1), k(2), k(3)
    return k


def stored_1(k):
    _, _ = k(1), k(2)
    return k


def stored_2(k):
    _, a, _ = k(1), k(2), k(3)
    return k


def stored_3(k):
    a, _, _ = k(1), k(2), k(3)
    return k


def stored_4(k):
    _, _, a = k(1), k(2), k(3)
    return k


def stored_5(k):
    _, _, a = k
    _, a, _ = k
    a, _, _ = k
    _, _, _ = k
    return k


def stored_6(k):
    for _, _, _ in k:
        g()
    for _, a in k:
        g()
    (_, _), _ = k
    (a, _), _ = k
    (a, b), a = k
    b, (a, a) = k


def stored_7(k):
    a = a = k()
    _ = a = _ = k()


def stored_8(k):
    _, _ = k, [x for x in k]
    _, a = k(1), [x for x in k]
    _, _, c, d = k(1), k(2), k(3), k(4)
    c, d, _, _ = k(1), k(2), k(3), k(4)
    k[0], _, _, k.a = k(1), k(2), k(3), k(4)
