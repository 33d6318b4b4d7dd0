def comprehensions(a, b):
    x = [i for i in a]
    x = [i + j for i in a for j in b if i and j > i]
    y = {i for i in a if not i}
    z = {k: v for k, v in a.items()}
    g = (i for i in a if i or b)
    n = [[j for j in i] for i in a]
    return x, y, z, g, n


def conditional(a):
    return [i if i > 1 else -i for i in a if 0 < i < 9]


def walrus(a):
    if (n := len(a)) > 1:
        return n
    while chunk := a.read(n):
        print(chunk)
    return [y for x in a if (y := x)]
