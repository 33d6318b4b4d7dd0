def f(a, b, c):
    for i in c:
        try:
            f()
        except:
            while (a or b) and c:
                f()
