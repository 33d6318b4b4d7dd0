def last():
    a and b()


def in_arms():
    if x:
        a and b()
    else:
        a or c()


def several():
    a and b or c and not d()


def nested():
    x()
    a or not b() and (c or d())


async def awaited():
    x and await y()


class Body:
    a and b()


ready and main()
