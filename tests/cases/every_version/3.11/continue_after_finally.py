def h(a):
    for i in range(3):
        try:
            a.f(20)
        finally:
            a.g(21)
        continue
