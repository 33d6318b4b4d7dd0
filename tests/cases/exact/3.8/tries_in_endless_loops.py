"""The body of an endless loop is a try statement, and ``continue`` in it leads to where both begin."""


def arms(a, b):
    while True:
        try:
            a()
            if b(1):
                if b(2):
                    continue
                b(3)
            else:
                b(4)
        except ValueError as error:
            b(error)


def cleaned_up(a, b):
    while True:
        try:
            try:
                if a():
                    if b(1):
                        continue
                    b(2)
                else:
                    b(3)
            finally:
                b(4)
        except ValueError as error:
            b(error)


def outermost_is_the_try(a, b):
    try:
        while True:
            if a():
                if b(1):
                    continue
                b(2)
            else:
                b(3)
    except ValueError as error:
        b(error)


while True:
    try:
        if arms(1, 2):
            if arms(3, 4):
                continue
            arms(5, 6)
        else:
            arms(7, 8)
    except ValueError as error:
        arms(9, error)
