a.b = c[d and e] = 0
first[k or 1] = second[k or 2] = f()
[] = (a if b else c)[0] = 0
x = y[a if b else c] = z = f()


def of_function(x, y, k):
    x[k or 1] = y[k or 2] = z = f()
    x.y = z[[i for i in k]] = f()
    return z
