def targets(a, b):
    a.x = b
    a[b] = b
    a[1:2] = b
    a[::2] = b
    a.x += 1
    a[b] -= 2
    a[b:] *= 3
    a.x[b].y = a
    x = y = b
    return x, y


def unpacking(a):
    x, y = a
    (x, y), z = a
    x, *y = a
    *x, y = a
    x, *y, z = a
    a.x, a[0] = y
    x, y = y, x
    return x, y, z


def deleting(a, b):
    del a.x
    del a[b]
    del a[1:2]
    del b


def plain(a):
    x = a
    return x


y: int = 1
z: str
