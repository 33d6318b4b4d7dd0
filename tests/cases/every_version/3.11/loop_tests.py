def leaves_at_the_top(x, y):
    while x.more():
        if not y.more():
            break
        y.next(x)
    return x


def returns_what_the_end_does(self, n):
    while n:
        if self.a:
            return -1
        n = self.next(n)
        if self.b:
            return -1
    return -1
