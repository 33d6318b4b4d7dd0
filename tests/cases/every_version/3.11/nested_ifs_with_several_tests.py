def e2(code):
    if a and b:
        if c < d:
            x()
            if e:
                y()


def e3(code):
    if a and b:
        if not c:
            x()
            if e:
                y()


def e4(code):
    if self.a is None and self.b is None:
        if not c <= d <= e:
            x()


def e5(code):
    if a and b:
        if not (c and e):
            x()


def e6(code):
    if a or b:
        if not c < d:
            x()


def e7(code):
    if a or b:
        if c <= d <= e:
            x()


def e8(code):
    if a and b:
        if c <= d <= e:
            x()


def e9(code):
    for net in code:
        if last is not None:
            if last.end >= net.end:
                continue
        yield net
