def returned():
    try:
        a()
    except ValueError:
        b()
    else:
        c()
    finally:
        return d


def raised(a):
    try:
        for x in a:
            if x:
                break
            x()
        else:
            b()
        c()
    except ValueError:
        d()
    else:
        e()
    finally:
        raise KeyError


try:
    a()
except ValueError:
    b()
else:
    c()
finally:
    raise KeyError
