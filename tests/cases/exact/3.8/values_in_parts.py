"""Conditional values in calls and displays that come in parts."""


def part_0(loss):
    return P(a=1, b=2, c=3, d=(4 if x and not y else None), e=5, f=6, g=7, h=8, i=9, j=10, k=11, l=12, m=13, n=14, o=15, p=16, loss=loss)


def part_1(loss):
    return P(a=1, b=2, c=3, d=(4 if x else None), e=5, f=6, g=7, h=8, i=9, j=10, k=11, l=12, m=13, n=14, o=15, p=16, loss=loss)


def part_2(loss):
    return P(a=1, b=2, c=3, d=x or y, e=5, f=6, g=7, h=8, i=9, j=10, k=11, l=12, m=13, n=14, o=15, p=16, loss=loss)


def part_3(loss):
    return P(a=1, b=2, c=3, d=4, e=5, f=6, g=7, h=8, i=9, j=10, k=11, l=12, m=13, n=14, o=15, p=16, loss=loss if r else None)


def part_4(loss):
    return P(a=1, b=2, c=3, d=4 if d else 5, e=5, f=6, g=7, h=8, i=9, j=10, k=11, l=12, m=13, n=14, o=15, p=16, loss=loss if r else None)


def part_5(loss):
    return {'a':1, 'b':2, 'c':3, 'd':x, 'e':5, 'f':6, 'g':7, 'h':8, 'i':9, 'j':10, 'k':11, 'l':12, 'm':13, 'n':14, 'o':15, 'p':16, 'loss':loss if r else None}


def part_6(loss):
    raise P(a=1, b=2, c=3, d=4, e=5, f=6, g=7, h=8, i=9, j=10, k=11, l=12, m=13, n=14, o=15, p=16, loss=loss or None)


def part_7(loss):
    return P(a=1, b=2, c=3, d=4, e=5, f=6, g=7, h=8, i=9, j=10, k=11, l=12, m=13, n=14, o=15, p=16, loss=a < b < c)


def part_8(loss):
    return [1, 2, x, 3, 4, 5, 6, 7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33, a if b else c]


def part_9(loss):
    return {1, 2, x, 3, 4, 5, 6, 7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33, a if b else c}


def part_10(loss):
    return P(1, 2, x, 3, 4, 5, 6, 7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33, a if b else c)


def part_11(loss):
    return {loss if r else None, *q}
