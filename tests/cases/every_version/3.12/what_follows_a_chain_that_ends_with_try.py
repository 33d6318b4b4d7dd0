def f(a, b):
    for c in a:
        if c:
            continue
        elif b:
            break
        elif a:
            raise b
        else:
            try:
                b = c()
            except KeyError:
                return None
            else:
                a.append(b)
        print(c)
    while a():
        b()
    else:
        print(a)
    return b
