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


def by_percent(name, row):
    print('%s: %r, 100%%' % (name, row.size))
    print('%-8s|%5s|%.3s|%10.2s' % (name, row, row[0], (yield)))
    print('%s %s' % (name if row else None, row), '%d of %s' % (1, name), '%s' % name)
    return [f'{name!r} {row}: %s' % part for part in row if '-%s' % (part,) in name]
