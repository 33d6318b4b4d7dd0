def one(a):
    if a.b(b'c'):
        return 'd'


def two(a):
    if a == 1:
        return 2
    if a == 3:
        return 4


def in_both(a, b):
    if a:
        return b if b > a else a
    if b:
        return a


def in_a_loop(a):
    for b in a:
        if b:
            return b if a.c else None
