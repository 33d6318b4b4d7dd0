def dead_with(x):
    return
    with x:
        x = 1


def dead_finally(x):
    return 5
    try:
        x = 1
    finally:
        x = 2


def dead_in_loop(x):
    while x:
        raise x
        with x:
            pass
