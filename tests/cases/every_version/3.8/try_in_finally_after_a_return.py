def f(a):
    try:
        a()
        return
    except:
        g()
    finally:
        try:
            h()
        except E:
            k()
        finally:
            l()


def below_a_comprehension(a, c):
    x = [i for i in c]
    try:
        a()
        return
    except:
        g()
    finally:
        try:
            h()
        except E:
            k()
        finally:
            l()
