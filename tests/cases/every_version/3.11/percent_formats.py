print('%r: x' % (a,), f'{a!r}: x', f'{a!s}', f'{a!s} x', '%s' % a)
print('%r: %-8.3s' % (a, b.c), '%s%s' % (a, b if c else d), '%5s' % (a,))
print('%s' % ('ab',), '%s' % (f(x),))
