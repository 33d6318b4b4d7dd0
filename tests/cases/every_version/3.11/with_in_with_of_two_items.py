def returned(a, b, c):
    with a() as first, b.open(c):
        with first() as second:
            return second


def not_returned(a, b, c):
    with a() as first, b.open(c):
        with first() as second, b.open(c) as third:
            with second:
                third.read()


def of_three(a, b, c):
    with a() as first, b.open(c), c:
        with first() as second:
            second.read()
