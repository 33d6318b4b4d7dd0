def f(self, a, b, c, d):
    try:
        f(4)
    except E0:
        self.y = 9
    except E1:
        self.y = 10
    return True


def g(self, a, b, c, d):
    try:
        f(4)
    except E0:
        self.y = 9
    return True


def h(self, d):
    try:
        result = g(3)
    except E0:
        while True:
            result = g(10)
    else:
        d[15] = 3
    finally:
        del d[17]

