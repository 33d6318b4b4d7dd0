# A star in an index may stand beside slices, which no parentheses may hold.


def read(x, b, y):
    return x[0, :, *b, :], x[:, *b], x[*b, 1:], x[*b, y:0, *b], x[*b], x[*b, y], x[:, :], x[y, :]


def written(x, b, y):
    x[0, :, *b, :] = y
    x[*b, 1:] += y
    del x[*b, y:]
