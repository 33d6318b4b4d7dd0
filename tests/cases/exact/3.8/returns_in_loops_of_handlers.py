"""Loops in except clauses that return, or break, behind other statements."""


def handled_0(h):
    try:
        g()
    except Exception:
        for h in u:
            if a:
                continue
            i()
            return
    else:
        v()
        return
    print(arg)


def handled_1(h):
    try:
        g()
    except Exception:
        for h in u:
            i()
            return
    else:
        v()
        return
    print(arg)


def handled_2(h):
    try:
        g()
    except Exception:
        for h in u:
            if a or b:
                continue
            i()
            return
    print(arg)


def handled_3(h):
    try:
        g()
    except Exception as e:
        for h in u:
            if a or b:
                continue
            i()
            return
    else:
        v()
    print(arg)


def handled_4(h):
    try:
        g()
    except Exception:
        for h in u:
            if a or b:
                continue
            i()
            break
    print(arg)


def handled_5(h):
    try:
        g()
    except Exception:
        for h in u:
            if a or b:
                continue
            i()
            break
        else:
            w()


def handled_6(h):
    try:
        g()
    except Exception:
        for h in u:
            for a in b:
                if c:
                    return
            return


def handled_7(h):
    try:
        g()
    except Exception:
        for h in u:
            for a in b:
                if c:
                    a_b_c_
            for a in b:
                if c:
                    break
