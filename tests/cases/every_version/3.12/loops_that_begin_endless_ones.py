"""A loop at the beginning of an endless one: both jump back, to different places."""


def lines():
    found = []
    while True:
        while len(found) < 4:
            found.append(f())
        a = g(found)
        if a == 1:
            yield a
            continue
        elif a == 4:
            return
        found = found[1:]


def only_a_test(self):
    while True:
        if self.a < 4:
            self.b()
            continue
        c(self)
        if self.d:
            return self
