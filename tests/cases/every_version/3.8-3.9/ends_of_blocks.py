def breaks_in_a_with(f):
    with f as g:
        while True:
            n = g()
            if not n:
                break
            if n < 1:
                h(n)
            else:
                k(n)


def one_return_of_two_arms(self, x):
    try:
        if x:
            self.a()
        else:
            self.b()
        return
    except ValueError:
        self.c()


def returns_in_an_endless_loop(self, x):
    try:
        while True:
            n = self.a()
            if n < x:
                self.b(n)
                return x + n
            x += n
    except IndexError:
        raise ValueError(x)


def else_in_a_chain(self, x):
    if x < 1:
        return self.a(x)
    if x < 2:
        if self.a:
            with self.b as f:
                return f(x)
        else:
            return self.c(x)
    raise ValueError


def pass_before_else(x, y):
    if x == 1:
        pass
    elif y:
        x()
    else:
        y()
    return x
