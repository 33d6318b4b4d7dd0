def goes_on_at_once(self, x):
    while x:
        if self.a:
            self.b(x)
            continue
        try:
            x = self.c(x)
        except KeyError:
            x = None
        self.d(x)
    return self
