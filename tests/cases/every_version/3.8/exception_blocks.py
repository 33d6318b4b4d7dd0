def returns_in_finally(a, b):
    try:
        a()
    finally:
        if b:
            a.b = 0
            return
        a.c()
    print(a)


def returns_through_everything(a, b):
    for x in a:
        try:
            with b(x) as c:
                return c(x)
        except ValueError as e:
            return e
        finally:
            a.close()


def ends_of_a_named_clause(a):
    for x in a:
        try:
            a(x)
        except KeyError as e:
            if e.args:
                continue
            break
        except (TypeError, ValueError) as e:
            raise OSError from e
        a.next(x)


def an_else_clause_in_a_branch(a, b):
    if a and b:
        try:
            x = a.c
        except AttributeError:
            pass
        else:
            b(x)
    if b.d:
        a()


async def waits(a, b):
    async with a as c, b:
        async for x in c:
            try:
                await x
            finally:
                await b(x)
    return c
