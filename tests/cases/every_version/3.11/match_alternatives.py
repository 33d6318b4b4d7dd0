def nested(tokens):
    match tokens:
        case [None | A(T.NEW) | A(string=':'), A(T.NUMBER | T.STRING) | A(T.OP, string='(' | '*')]:
            return True
        case [A(T.NUMBER | T.STRING) | A(T.OP, string='(' | '*') | B(), x]:
            return x
        case _:
            return False


def names(value):
    match value:
        case ['a' | 'b' as x, y] | ['c' | 'd', 'e' | 'f' as x, y]:
            use(x, y)
        case {'k': [1 | 2] | A(1 | 2)}:
            pass
    done()


def single(value):
    match value:
        case A(1 | 2) | B(3 | 4):
            return 5
    return 6


def guarded(value):
    match value:
        case A(1 | 2) | B(3 | 4 | None) if value:
            first()
        case [A(1 | 2) | B(3 | 4), *rest] if rest:
            second()
        case other:
            third()


def last_of_several(tokens):
    match tokens:
        case [1, 2]:
            return 5
        case [None | TI(T.DEDENT) | TI(string=':' | ';'), TI(string='import') | TI(string='from')]:
            return True
        case _:
            return False


def the_last_one_always_matches(value):
    match value:
        case [x] | x:
            return x


def after_another_case(value):
    match value:
        case 1:
            first()
        case {'x': x} | [x, 1] | x:
            second(x)
    done()
