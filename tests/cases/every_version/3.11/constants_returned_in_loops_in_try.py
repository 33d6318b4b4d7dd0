def f(a):
    try:
        while True:
            if a:
                f()
            else:
                return True
    except E:
        f()
