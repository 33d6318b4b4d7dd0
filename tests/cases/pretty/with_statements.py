def managers(a, b):
    with a:
        b()
    with a as x:
        x()
    with a as x, b as y:
        x(y)
    with a() as (x, y):
        return x


def in_loops(a, b):
    for x in a:
        with x as y:
            if y:
                break
            b(y)
    return b


async def ended_by_a_loop(a, b):
    try:
        with a:
            if b:
                async for x in a:
                    x()
                b(2)
        b.c()
    except ValueError:
        b.d()


async def ended_by_a_loop_in_a_loop(a, b):
    for c in b:
        try:
            async with a as y:
                if y:
                    async for x in y:
                        if x:
                            break
                    b(3)
                elif c:
                    c()
        finally:
            b.e()
    return b


async def ended_by_a_loop_before_a_finally_clause(a, b):
    with a as c:
        try:
            with c:
                if b:
                    async for x in a:
                        x()
                    b(1)
            c()
        finally:
            b.e()
