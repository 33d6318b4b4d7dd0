def first(value, items):
    match value:
        case _ if items:
            return 0
        case [1, 2]:
            return 1
        case _ if not items():
            return 2
        case 3:
            return 3


def in_loops(values, items):
    for value in values:
        match value:
            case _ if items and (items() or
                                 value):
                continue
            case _ if items is None:
                break
            case other:
                print(other)


match print:
    case _ if print():
        print(1)
    case None:
        print(2)
    case _:
        print(3)
