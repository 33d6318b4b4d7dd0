"""Type parameters that only annotations of variables and attributes name, which nothing evaluates."""


class Stack[T]:
    def __init__(self) -> None:
        self.items: list[T] = []
        self.size = 0

    def pop(self) -> T:
        last: T = self.items.pop()
        return last

    async def wait(self):
        for one in self.items:
            with one as self.one:
                self.one.result[0]: T = await one


def first[T](xs: list[T]) -> T:
    y: T = xs[0]
    return y


def pairs[K, V](a):
    n = 1
    xs: dict[K, V] = {}
    return xs, n


def split[Key, V](a):
    n = a.b
    m: V = n
    k: Key = m
    return k


class M[T]:
    def m[S](self):
        def h():
            a: S = 1
            b: T = 2
            return a, b

        return lambda: h


def dead[T]():
    def g():
        return 1
        if False:
            T

    return g
