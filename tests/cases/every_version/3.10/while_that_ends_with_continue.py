def of_a_name(a):
    while a:
        continue
    raise ValueError(a)


def of_a_call(a):
    while a():
        continue


def of_two(a, b):
    while a() and b:
        continue
    return a


def with_pass(a):
    while a:
        pass
    return a


def in_for(items):
    for one in items:
        while one:
            continue


def below_statements(a, b):
    while a:
        b()
        continue
    b()


def below_try(a, b, c):
    while a and b or c:
        try:
            b()
        except ValueError as error:
            c(error)
        continue
    raise ValueError
