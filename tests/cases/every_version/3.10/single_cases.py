def of_a_number(value):
    match value:
        case 0:
            a()
        case _:
            b()


def of_an_attribute(value):
    match value.attribute:
        case 'a':
            return 1
    return 2


def of_none(value):
    match value:
        case None:
            a()
        case _:
            b()


def guarded(value):
    match value:
        case True if value.attribute:
            a()


def nested(value):
    match value:
        case Class.member:
            a()
            match value:
                case -1:
                    b()


def compared(value):
    if value == 0:
        a()
    if value.attribute is None:
        b()
    return value is True
