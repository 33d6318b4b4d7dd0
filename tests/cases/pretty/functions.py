import functools
from os import path as p, sep


def parameters(a, /, b, c=1, *args, d, e=2, **kwargs) -> int:
    """What it does."""
    return a(b, *args, d=d, **kwargs)


def closure(n):
    def add(m: int = 0):
        nonlocal n
        n += m
        return lambda: n

    return add


def counted():
    global total
    total = total + 1
    del total


@functools.wraps(parameters)
@decorator
def decorated():
    yield 1
    x = yield
    yield from x


async def waits(a):
    async with a as b:
        await b
    async for c in b:
        print(await c)
    return [d async for d in b if await d]


class Base:
    """A class."""

    limit: int = 10
    name: 'str'

    def __init__(self, x):
        super().__init__()
        self.__x = x

    @property
    def x(self):
        return self.__x


class Derived(Base, metaclass=Meta):
    pass
