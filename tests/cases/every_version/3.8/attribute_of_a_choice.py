class A:
    def __init__(self, record=None):
        self.record = record if record is not None else []


def f(a, b):
    a.x.y = b if b else []


def g(a, i, b):
    a[i] = b if b is not None else 3
