"""What follows except* statements in loops."""


def followed_0():
    while a:
        try:
            del a
        except* ValueError:
            pass
        continue


def followed_1():
    for x in y:
        try:
            g()
        except* ValueError:
            h()


def followed_2():
    for x in y:
        try:
            g()
        except* ValueError:
            h()
        if z:
            continue
        k()


def followed_3():
    for x in y:
        try:
            g()
        except* ValueError:
            if a:
                h()
        break


def followed_4():
    while a:
        try:
            g()
            h()
        except* ValueError:
            pass
        finally:
            b()
        if c:
            continue
        d()
