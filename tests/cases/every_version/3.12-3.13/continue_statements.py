def goes_on_at_once(x, y):
    for z in x:
        if z in y:
            continue
        y[z] = x


def has_an_if_at_the_end(x, y):
    for z in x:
        y.z(z)
        if z not in y:
            y[z] = x
    return y
