async def yields(value):
    try:
        ...
    except ValueError:
        yield value


def binds(value):
    class Inner:
        print(name)

    try:
        ...
    except ValueError:
        name = value
    return Inner
