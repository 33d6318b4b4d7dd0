def below(a, w):
    for i, x in g(a):
        with w():
            f()
        continue


def inside(a, w):
    for i, x in g(a):
        with w():
            f()
            continue
