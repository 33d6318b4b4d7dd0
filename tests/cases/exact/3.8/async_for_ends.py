"""What follows ``async for`` loops, in and out of with and try statements: compilers move it behind all other code."""


async def w(it):
    if d:
        async for i in it:
            a()
        b()
        return
    x()


async def w2(it):
    for c in d:
        if d:
            async for i in it:
                a()
            b()
        else:
            x()


async def w3(it):
    while d:
        if e:
            async for i in it:
                a()
            else:
                return 4
            continue
        elif x:
            async for i in it:
                a()
                if c:
                    continue
                y()
                break
            else:
                return 5
            z()
        c()


async def w4(it):
    if e:
        async for i in it:
            async for j in i:
                c()
            x()
            async for j in i:
                c()
            else:
                g()
                continue
            y()
        z()
    elif d:
        async for j in i:
            c()
        x()
    else:
        async for j in i:
            c()
        y()
    return 3


async def w5(it):
    if d:
        async for i in it:
            a()
        try:
            b()
        except E:
            x()
        return
    x()


async def w6(it):
    if d:
        try:
            async for i in it:
                a()
            b()
        except E:
            async for i in it:
                a()
            x()
        else:
            async for i in it:
                a()
            x()
        return
    x()


async def v(it):
    if d:
        try:
            async for item in it:
                a()
            b()
        finally:
            if e:
                c()
        return
    x()
async def v2(it):
    if d:
        try:
            b()
        finally:
            if e:
                c()
        return
    x()
async def v3(it):
    if d:
        try:
            async for item in it:
                a()
            b()
        finally:
            c()
        return
    x()
async def v4(it):
    if d:
        try:
            b()
        finally:
            if e:
                with c():
                    f()
        return
    x()
async def v5(it):
    if d:
        try:
            b()
        finally:
            if e:
                with c():
                    f()
        return 1
    return x()
async def v6(it):
        try:
            b()
        finally:
            if e:
                with c():
                    f()
        return 1
async def v7(it):
        try:
            b()
        finally:
                with c():
                    f()
async def v8(it):
    if d:
        try:
            b()
        finally:
                with c():
                    f()
        return
    x()
async def v9(it):
    if d:
        try:
            b()
        finally:
                with c():
                    await f()
        return
    x()
async def v10(it):
    if d:
        try:
            yield b()
        finally:
            if e:
                with c():
                    await f()
        return
    x()


async def t():
    with a:
        async with b() as g:
            async for _ in g:
                break
async def t2():
    with a:
        async with b() as g:
            for _ in g:
                break
def t3():
    with a:
        with b() as g:
            for _ in g:
                break
async def t4():
    async with b() as g:
        async for _ in g:
            break
async def t5():
    with a:
        async for _ in g:
            break
async def t6():
    with a:
        with b():
            async for _ in g:
                break
async def v(iterator):
    if len(iterators) == 1:
        try:
            async for item in iterator:
                yield 0, item
            iterator = None
        finally:
            if iterator is not None:
                with s(B):
                    await iterator.aclose()
        return
    x()
async def v2(iterator):
    try:
        async for item in iterator:
            yield 0, item
        iterator = None
    finally:
        if iterator is not None:
            with s(B):
                await iterator.aclose()
async def v3(iterator):
    try:
        while awaits:
            done, _ = await asyncio.wait(awaits.keys(), return_when=FIRST_COMPLETED)
            for d in done:
                pair = awaits.pop(d)
                try:
                    item = await d
                    i, it = pair
                    yield i, item
                except StopAsyncIteration:
                    pass
    finally:
        # Cancel any remaining iterators
        for f, (_, it) in awaits.items():
            with contextlib.suppress(BaseException):
                f.cancel()
                await it.aclose()
