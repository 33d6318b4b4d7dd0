"""Asynchronous loops that are left in their first round."""


async def then_more():
    with a() as receiver:
        async for signum in receiver:
            g()
            break
        b()


async def returns():
    try:
        async for signum in receiver:
            g()
            return
        b()
    finally:
        c()


async def in_finally():
    async with a() as receiver:
        try:
            async for signum in receiver:
                g()
                break
        finally:
            async for signum in receiver:
                g()
                raise V
        b()


async def nested():
    async with a() as receiver:
        async for signum in receiver:
            async for signum in receiver:
                break
            break


async def raises():
    async with a() as receiver:
        async for signum in receiver:
            raise V


async def in_a_loop():
    while x:
        try:
            async for signum in receiver:
                break
        except V:
            async for signum in receiver:
                return 5
            continue
        async for signum in receiver:
            continue
        async for signum in receiver:
            return 1
