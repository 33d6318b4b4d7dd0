def f(b, d):
    for fn in b:
        if fn:
            if fn.c:
                fn.g(1)
                for p in d:
                    fn.g(p)
            continue
        fn.g(2)


def g(self):
    for line in self.b:
        if self.c:
            try:
                self.send(line)
            except StopIteration:
                self.c = None
            continue
        if line.d:
            if line.e:
                self.x = 3
        else:
            self.y('s')
