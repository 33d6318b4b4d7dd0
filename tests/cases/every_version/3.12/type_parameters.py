def f[T](x: T) -> T:
    return x


class C[T](B):
    def m(self):
        return T


type X[K] = list[K]


@deco
@other(1)
def g[T: int, *U, **P](x: T = 1, *, y=2, z) -> U:
    return U


type Y = int


@deco
class D[T: (int, str), *U](B, *Bs, metaclass=M):
    type Z = T

    async def m[V: 'text'](self, v: V = 1) -> T:
        return T

    def n[V](self, *, v: V = f(1)) -> T:
        return __class__


class E[T]:
    pass


def h():
    q = 1

    def inner[T: q](x: T = q):
        nonlocal q
        q = 1
        return T

    type A[B] = dict[B, q]
    return inner, A


class F[T](B):
    """A docstring."""

    def m[V](self, v: V) -> T:
        """Another."""
        return v
