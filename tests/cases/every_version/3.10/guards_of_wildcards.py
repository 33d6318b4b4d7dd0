def after_a_class(a, b):
    match a:
        case int():
            print(a)
        case _ if b or a:
            print(b)
        case _:
            print()
    return 4


def with_returns(a, b):
    match a:
        case int():
            return 1
        case [x, y]:
            return x + y
        case _ if b:
            return 2
        case _:
            return 3


def after_alternatives(a):
    for item in a:
        match item:
            case 1 | 2:
                print(item)
            case 3 | 4 as number:
                print(number)
            case _ if item.y is None and a:
                break
            case _:
                print(a)


def alternatives_are_last(a, b):
    match a:
        case 1 | 2:
            print(a)
    if b:
        print(b)


match subject:
    case str():
        print(1)
    case _ if subject:
        print(2)
    case _:
        print(3)
