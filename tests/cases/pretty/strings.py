def formatted(a, b):
    x = f'{a}'
    x = f'{a!r} and {b:>10}'
    x = f'{a:{b}}'
    x = f'{{literal}} {a + b}'
    x = f'{a["key"]}'
    return x + 'it is' + "it's"


def checks(a, b):
    assert a
    assert a, 'message'
    assert a and b, f'{a}'
    assert not a
    if a:
        raise ValueError(a)
    if b:
        raise ValueError from a
    raise
