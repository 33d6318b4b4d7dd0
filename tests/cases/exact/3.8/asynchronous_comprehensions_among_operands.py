"""The compiler moves what follows an asynchronous comprehension to the end of the code."""


async def chosen(a, d, e):
    return a or [b async for b in d] or e


async def both(a, d, e):
    return [b async for b in d] and a and {b: e async for b in d} and e


async def tested(a, d, e):
    if a or {b async for b in d} or e:
        print(a)


async def dropped(a, d, e):
    a and {b: a async for b in d} and e()
    print(e)
