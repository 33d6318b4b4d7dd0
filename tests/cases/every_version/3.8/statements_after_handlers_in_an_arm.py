def f(a, c):
    for i in c:
        if a:
            try:
                f()
                break
            except F:
                g()
            h()
        else:
            k()
