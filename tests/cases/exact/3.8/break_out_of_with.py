"""A `break` out of a with statement in a loop, behind which the code goes on without a jump."""


def in_a_try_with_a_handler(a,b,c,d):
    while True:
        with a:
            try:
                b()
                break
            except OSError:
                c.step = 1
            finally:
                d = None
        c()
    d()


def in_an_else_clause_before_another(a,b,c,d):
    while True:
        with a:
            try:
                with b as x:
                    x()
            except OSError:
                c.step = 1
            else:
                break
            finally:
                d = None
        with b:
            c()
    with a:
        d()


def in_an_else_clause(a,b,c,d):
    while True:
        with a:
            try:
                b()
            except OSError:
                c.step = 1
            else:
                break
            finally:
                d = None
        c()
    d()


def behind_the_last(a,b,c,d):
    while True:
        with a:
            try:
                with b as x:
                    x()
            except OSError:
                c.step = 1
            else:
                break
            finally:
                d = None
    d()


def of_two_items(a,b,c,d):
    while c:
        with a, b:
            if d():
                break
            d = 3
    d()


def of_two_statements(a,b,c,d):
    while True:
        with a:
            with b:
                if d():
                    break
                d = 3
        c()
    d()
    return 5


async def asynchronous(a,b,c,d):
    while True:
        async with a:
            async with b:
                if d():
                    break
                d = 3
        c()
    d()
    return 5
