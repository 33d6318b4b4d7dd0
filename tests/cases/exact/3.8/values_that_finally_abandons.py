def f1(a):
    try:
        return a
    finally:
        return a()


def f2(a):
    for x in a:
        try:
            return g(x)
        finally:
            continue


def f3(a):
    for x in a:
        try:
            return g(x)
        finally:
            break


def f4(a):
    try:
        if a: return g(a)
        return h(a)
    finally:
        if a:
            return 5
        else: return b()


def f5(a):
    try:
        g()
        return a.b
    except E:
        return 3
    finally:
        return a()


def f6(a):
    while a:
        try:
            return g(x)
        finally:
            if a: break
            else: continue
