"""Variables of comprehensions with the names of type parameters and of free variables."""


def of_type_parameters():
    def F[T: [lambda: T for T in (T, [1])[1]]](): return [lambda: T for T in T.__name__]
    return F
