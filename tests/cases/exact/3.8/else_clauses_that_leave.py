"""Loops in loops whose else clauses leave the outer ones."""


def inner_0(rest):
    while s < length:
        if a:
            if b:
                g()
            elif c:
                q = s + 1
                while q < length:
                    if d:
                        q += 2
                    elif e:
                        s = q
                        break
                else:
                    break
        s = a
    h()


def inner_1(rest):
    while s < length:
        if c:
            while q < length:
                if d:
                    q += 2
                elif e:
                    s = q
                    break
            else:
                break
        s = a
    h()


def inner_2(rest):
    while s < length:
        if c:
            while q < length:
                if d:
                    break
            else:
                break
        s = a
    h()


def inner_3(rest):
    for s in length:
        while q < length:
            if d:
                break
        else:
            break
        s = a
    h()


def inner_4(rest):
    while s < length:
        if c:
            for q in length:
                if d:
                    break
            else:
                break
        s = a
    h()


def inner_5(rest):
    for s in length:
        if c:
            while q < length:
                if d:
                    break
            else:
                continue
        s = a
    h()


def inner_6(rest):
    while s:
        if c:
            while q < length:
                if d:
                    break
                e()
            else:
                continue
        s = a


def inner_7(rest):
    while s:
        if c:
            while q < length:
                if d:
                    break
                e()
            else:
                return
        s = a
    g()
