def function(value, other):
    try:
        value()
    except ValueError as error:
        match error:
            case 1 | 2:
                other()
            case 3 | None:
                raise
        if other:
            value(1)


def returning(value, other):
    match value:
        case 1 | 2:
            return
    if other:
        value()
    other()
