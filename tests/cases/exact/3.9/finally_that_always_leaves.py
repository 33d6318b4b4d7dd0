def repeats(a):
    for c in a:
        try:
            f()
            return
        finally:
            g()
            continue
    else:
        h()


def returns(a):
    try:
        f()
        return
    finally:
        t([x for x in a])
        return 1
