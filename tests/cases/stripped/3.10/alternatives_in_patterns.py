def behind_each_of_the_last(keyword):
    match keyword:
        case (None | A(1), B(2)):
            return True
        case (None | A(3), B(4) | C(5)):
            return True
        case (7 | 8, 9 | 10):
            return True
        case _:
            return False


def raised_or_returned(value, error):
    match value:
        case (1 | 2, 3 | 4):
            raise error
        case (5 | 6, 7 | (8 | 9)) | A(x=1 | 2):
            return
        case (a, 7 | 8 as b) | (7 | 8 as b, a):
            return a
        case {"k": 1 | 2, "l": (3 | 4)}:
            raise
        case A(1 | 2 | 3, (None | 4) as c, 5 | A(1 | 2)):
            return c
