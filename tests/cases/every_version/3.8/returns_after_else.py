def f(self, a, b, c, d):
    try:
        self.y = 16
    except E0:
        x = g(19)
    else:
        x = g(22)
    return True


def g(self, a, b, c, d):
    try:
        self.y = 16
    except E0:
        x = g(19)
    else:
        x = g(22)
    return


def h(self, a, b, c, d):
    try:
        self.y = 16
    except E0:
        x = g(19)
    else:
        x = g(22)
    return x

