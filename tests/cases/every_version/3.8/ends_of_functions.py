def else_at_the_end(self, value):
    x = self.a
    if x is None:
        self.b = value
    elif x:
        self.c = value
    else:
        x.d = value


def returned_before(self):
    if self.a:
        return
    x = self.b
    self.c = x()
    if self.c:
        self.d(x)
    else:
        self.e = True


def returns_in_a_clause(self):
    try:
        self.a()
    except ValueError:
        return
    except KeyError:
        self.b()
        return
    self.c()


def returns_in_a_loop(self, f):
    for x in f:
        if x:
            self.a()
            return
        self.b()
    raise KeyError(f)


def returns_a_name(self, x):
    while True:
        try:
            if self.a:
                return x
            x += 1
        finally:
            self.b()
