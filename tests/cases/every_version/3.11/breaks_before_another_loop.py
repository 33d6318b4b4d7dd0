def a(a, b, o, i, s):
    while True:
        try:
            o.d()
        except E:
            if b.p:
                s.x(b.r())
            i.w(s.v(1))
        else:
            if b.p:
                s.x(b.r())
            break
    while True:
        try:
            data = o.read(4)
        except E:
            i.w(s.v(1))
        else:
            break
    a(data)


def b(a, b, o, i, s, n):
    with a(E):
        o.u()
    n = 0
    while n < 5:
        try:
            c = len(o.r())
            n += c
        except E:
            i.w(s.v(1))
        except F:
            break
    a(n)
