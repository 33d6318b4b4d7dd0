def in_a_comprehension(a):
    try:
        b = [a for x in a if 0 <= b < a]
    finally:
        b


def of_an_exception():
    try:
        raise KeyError
    except KeyError as a:
        a = [a for x in a if 0 <= b < a]
    finally:
        b


def returned():
    try:
        return [a for x in a if 0 <= a < a]
    finally:
        c += 1
