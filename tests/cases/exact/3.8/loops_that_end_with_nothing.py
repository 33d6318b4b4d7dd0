"""The last statement of each loop is dropped; from 3.13 on, no handler covers the jump that is left of it."""


def in_finally(items):
    try:
        for item in items:
            while 0:
                item()
        items("after")
    finally:
        items("end")


def in_except(items):
    try:
        for item in items:
            while 0:
                item()
        else:
            items("else")
    except ValueError:
        items = None
    return items


def in_both(items):
    with items:
        try:
            for item in items:
                while 0:
                    item()
            items("after")
        except ValueError as error:
            items(error)
        finally:
            items("end")
