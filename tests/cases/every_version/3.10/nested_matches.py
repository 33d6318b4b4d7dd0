def inner_one_returns(x, y):
    match x:
        case 0:
            match y:
                case {}:
                    return 1
                case _:
                    return 2
        case C():
            return 3
        case _:
            return 4


def inner_one_of_two_cases(x, y):
    match x:
        case [a, b]:
            if a:
                match y:
                    case 1:
                        return a
                    case other:
                        raise E(other)
            return b
        case C(z=z):
            return z
