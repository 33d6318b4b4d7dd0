def after_a_case(x):
    while x:
        match x:
            case g(y, z=1):
                f()
        continue


def after_cases(x):
    for y in x:
        match y:
            case 'a' | 'b':
                f()
            case _:
                g()
        continue
