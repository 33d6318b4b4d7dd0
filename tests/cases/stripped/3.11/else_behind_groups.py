def at_the_end():
    try:
        a()
    except* E:
        b()
    else:
        c()


async def behind_a_with_statement():
    try:
        async with group:
            a()
    except* E as error:
        b(error)
    else:
        c()
