def a(items, s):
    while True:
        for item in items:
            if not item:
                break
            if item.x:
                item.g()
                break
        else:
            s.append(items)
            continue
        break
    return s.foo(items)


def b(items, s):
    for x in items:
        for y in x:
            if not y:
                break
        else:
            s.append(x)
            continue
        s.g()
        break
    s.h()


def c(items, s):
    while s.x():
        for y in items:
            if not y:
                break
            if y.z:
                y = y.z
                break
        else:
            s.append(y)
            continue
        break
    else:
        s.i()
    s.h()
