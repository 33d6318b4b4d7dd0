def of_nothing():
    try:
        pass
    finally:
        return 1


def of_an_exception():
    try:
        1 / 0
    finally:
        return 4
