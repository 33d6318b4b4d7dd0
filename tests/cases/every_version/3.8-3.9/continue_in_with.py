def ends_in_with(names):
    for name in names:
        with open(name):
            found = 1
            continue


async def awaits(names):
    for name in names:
        async with open(name):
            found = 1
            continue


def turns():
    while True:
        pass
