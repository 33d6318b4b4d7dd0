def parameter(self):
    if False:
        self = lambda: self
    try:
        1 / 0
    except ZeroDivisionError as error:
        self.error = error
    self = None


def variable(x):
    if False:
        h = lambda: h
    x()
