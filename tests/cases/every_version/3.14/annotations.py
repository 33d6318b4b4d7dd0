import x

a: int = 3
b: str
if a:
    c: float


class A:
    """doc"""

    f: int
    g: list[f] = 3
    if g:
        h: int

    def m(self, x: int, *a: a, y: A = 3) -> None:
        self.q = x


class B:
    def k(self):
        return __class__

    x: int
    __private: str = ''


def f(a: int) -> str:
    class C:
        d: a


async def g(*, a: 'text' = 1, **b: lambda: x):
    return a, b
