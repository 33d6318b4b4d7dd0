class C[T: (int, str) = int, *U = *tuple[int], **P = [int]](B, metaclass=M):
    def m[V: T = T](self, v: V = 1) -> T:
        return T


type X[K: int = int, *L = *K] = list[K]


def f[T = 1, U: 'text' = None](x: T, *y: U) -> U:
    pass
