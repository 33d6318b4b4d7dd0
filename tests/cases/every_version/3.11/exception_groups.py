def names_and_else(x):
    try:
        a()
    except* E as e:
        b(e)
    except* (F, G):
        c()
    else:
        d()
    z()


def nothing(x):
    try:
        a()
    except* E:
        pass
    return 1


def raises_again(x):
    for y in x:
        try:
            a(y)
        except* E:
            raise
        except* F.G as e:
            raise X from e
        b()


def try_inside(x):
    try:
        a()
    except* F:
        try:
            c()
        except G:
            d()
        e()
    finally:
        h()
    return x


def group_inside(x):
    try:
        a()
    except E:
        try:
            b()
        except* F as f:
            if f:
                c()
            d()


def returns(x):
    try:
        return a()
    except* E:
        b()
        c()


async def coroutine(x):
    async with x as y:
        try:
            await y
        except* E as e:
            await f(e)


def condition_at_the_end_of_a_clause(a, b):
    try:
        a()
    except* ValueError as e:
        if b:
            a(e)
    except* KeyError:
        for x in b:
            if x:
                a()
    a(b)


def assertion_at_the_end_of_a_clause(a, b):
    try:
        a()
    except* ValueError:
        assert a, b
    b()
