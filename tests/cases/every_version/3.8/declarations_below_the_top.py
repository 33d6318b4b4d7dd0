def get(name):
    if name == 'Iso':
        global Iso
        from .async_case import Iso
        return Iso
    raise AttributeError(name)


def second():
    x = 1

    def inner():
        pass

    inner()
    global all, any
    saved = (all, any)
    all, any = x
    return saved


def third():
    global a
    a = 1


def fourth():
    count = 0

    def inc():
        for a in b:
            x = 1
            nonlocal count
            count += 1

    return inc


def fifth():
    for x in y:
        global z
        z += 1
