"""A call with `*()`, which the compiler evaluates, and with what it has made a constant of."""


def calls(d, a):
    d(*[] or [2])
    d(*() or (), *{} and (), **() or {})
    d(*(), *a)
    d(**{"a": 2} or {})
    return {*()}, [*()], [*(), a], [1, 2, 3, 4]
