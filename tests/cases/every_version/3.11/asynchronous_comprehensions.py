async def plain(a):
    return [x async for x in a]


async def with_condition(a, b):
    return {x: y async for x, y in a if x and await y}


async def awaits_in_element(a):
    return [await x for x in a]


async def awaits_in_iterable(a):
    return [x for x in await a]


async def awaits_in_condition(a):
    return {x for x in a if await x}


async def mixed(a):
    return [y async for x in a for y in x if y async for z in y]


async def nested(a):
    return [[y async for y in x] for x in a]


async def nested_iterable(a):
    return [x async for x in f([y async for y in a])]


async def in_statement(a):
    async for x in a:
        b = [y async for y in x]
        async with x as z:
            return [y for y in b if await z]
    return [y for y in await a async for y in y]


async def in_try(a):
    try:
        return [x async for x in a]
    except E:
        return {x async for x in a}
    finally:
        print([await x for x in a])


async def generator(a):
    yield [x async for x in a]
    for y in [x async for x in a]:
        yield y
