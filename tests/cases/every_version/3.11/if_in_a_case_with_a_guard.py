def at_the_end(a, b, c):
    match a:
        case c.one if b:
            if c:
                return b


def with_two_tests(a, b, c):
    match a:
        case 'a' | 'b' if not (b and c):
            if c:
                print(a)
    raise ValueError


def with_three_tests(a, b, c):
    match a:
        case c.one if (a or b) and c:
            if c:
                print(a)


def in_an_if(a, b, c):
    if a and not (b and c):
        if b:
            print(a)
    raise ValueError


def of_several_lines(a, b, c):
    if a and not b:
        if c:
            if a.b:
                print(a)
