"""Free variables that only dead code reads; other names of the same text are read."""


def attribute(limit):
    def check(self):
        return self.limit
        print(limit)

    return check


def method(close, stream):
    def run():
        stream.close()
        raise ValueError
        close()

    return run, close


def of_a_class(name):
    class Named:
        def show(self):
            return self.name

        if 0:
            name

    return Named
