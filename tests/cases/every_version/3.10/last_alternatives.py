def top(x):
    match x:
        case 1:
            c()
        case 0 | 2 | _:
            a()
    b()


def leaves(x):
    match x:
        case 0 | _:
            return y


def inside(x):
    match x:
        case [0 | 1 | _, 2 | _]:
            a()
        case {'a': 0 | _}:
            return 1
        case K(0 | _, p=1 | _) if g:
            b()
        case 0 | _ as y:
            return y


def copied(x):
    for x in xs:
        match x:
            case [K(), 1 | _, y]:
                continue
            case [] | _:
                d()


match x:
    case [_, None | _]:
        pass
    case 0 | _:
        pass
