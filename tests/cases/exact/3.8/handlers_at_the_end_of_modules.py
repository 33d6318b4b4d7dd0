"""Loops that handlers leave, and handlers with finally clauses, at the ends of modules and classes."""


class Inner:
    try:
        t(11)
    except ValueError as error:
        with a:
            b
        try:
            t(12)
        finally:
            t(13)


def left(a):
    while True:
        try:
            t(11)
        except ValueError:
            if t(50):
                break
            t(51)
    t(99)


def left_within(a):
    with a():
        while True:
            try:
                t(11)
            except ValueError:
                if t(50):
                    break
                t(51)
        t(99)


try:
    t(11)
except ValueError:
    try:
        t(12)
    finally:
        t(13)
