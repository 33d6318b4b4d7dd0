def a(self, cases):
    for t in cases:
        with self.s(t):
            try:
                next(it)
            except StopIteration:
                continue
            d = p(it)
            self.a(it)


def b(self, cases):
    for t in cases:
        try:
            next(it)
        except StopIteration:
            continue
        d = p(it)
        self.a(it)


def c(self, cases):
    for t in cases:
        with self.s(t):
            try:
                next(it)
            except StopIteration:
                continue
            else:
                d = p(it)
                self.a(it)


def d(self, cases):
    for t in cases:
        with self.s(t):
            try:
                next(it)
            except StopIteration:
                return
            d = p(it)
            self.a(it)


def e(self, cases):
    with self.s(t):
        try:
            next(it)
        except StopIteration:
            return 5
        else:
            d = p(it)
            self.a(it)


def f(self, cases):
    with self.s(t):
        try:
            next(it)
        except StopIteration:
            return 5
        d = p(it)
        self.a(it)


def g(self, cases):
    for proto in range(5):
        for t in cases:
            with self.s(t):
                it = g()
                try:
                    next(it)
                except StopIteration:
                    continue
                d = p(it)
                it = q(d)
                self.a(it)
