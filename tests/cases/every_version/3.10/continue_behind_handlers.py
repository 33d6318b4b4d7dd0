def f(a):
    for b in a:
        if b.c:
            d = b.e
        elif b.g:
            try:
                a.h(b)
            except A as error:
                raise B(error)
            continue
        else:
            raise C
        a.i(d)
