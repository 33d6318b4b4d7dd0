def after_a_value(a):
    match a:
        case 1:
            r = 1
        case g(x):
            x = 5


def after_a_name(a, d):
    match a:
        case d.e:
            result = g(3)
        case g(x, y=1):
            x = f'{a} 5'


def of_values(a):
    if a:
        match a:
            case 'a' | 'b':
                f()


def in_a_handler(a):
    try:
        f()
    except E:
        match a:
            case [x, 1]:
                f()
