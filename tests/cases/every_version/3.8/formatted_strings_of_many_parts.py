def f(a, b):
    return f'x{a}x{a}x{a}x{a}x{a}x{a}x{a}x{a}x{a}x{a}x{a}x{a}x{a}x{a}x{a}x{a}x{a}x{a}x{a}x{a}'


def g(a, b):
    return f'x{a:>3}{b!r}x{a:>3}{b!r}x{a:>3}{b!r}x{a:>3}{b!r}x{a:>3}{b!r}x{a:>3}{b!r}x{a:>3}{b!r}x{a:>3}{b!r}x{a:>3}{b!r}x{a:>3}{b!r}x{a:>3}{b!r}x{a:>3}{b!r}'


def h(a, b):
    return ''.join(
        [
            f'{a}',
            'x',
            'y',
            f'{a}',
            'x',
            'y',
            f'{a}',
            'x',
            'y',
            f'{a}',
            'x',
            'y',
            f'{a}',
            'x',
            'y',
            f'{a}',
            'x',
            'y',
            f'{a}',
            'x',
            'y',
            f'{a}',
            'x',
            'y',
            f'{a}',
            'x',
            'y',
            f'{a}',
            'x',
            'y',
            f'{a}',
            'x',
            'y',
            f'{a}',
            'x',
            'y',
        ]
    )


def i(a, b, c):
    return f'{a if b else c}0{a}1{a}2{a}3{a}4{a}5{a}6{a}7{a}8{a}9{a}0{a}1{b or c}2{a}3{a}4{a}5{a}6{a}7'
