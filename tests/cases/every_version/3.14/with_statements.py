def swallowed(a):
    with a as b:
        b()
    c()


def returned(a):
    for x in a:
        with x:
            with x.y as z:
                if z:
                    continue
                if y:
                    break
                return z()
        c()
    d()


def expressions(a, b):
    with a if b else c, open(a):
        return [x for x in a]


async def awaited(a):
    async with a as b, c:
        return await b


def kept(a):
    for x, *y in a:
        for z in y:
            with z:
                try:
                    return x
                finally:
                    z()


def same_names(a):
    x, _, _, y = a
    for _, _, z in a:
        print(z)
    return x
