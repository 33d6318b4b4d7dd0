def an_and(x, y, read_only):
    if x in y and not read_only:
        raise ValueError(x)
    return x


def a_negated_and(x, y, seen):
    for z in y:
        if not (z.a is x and z.b is x):
            seen = True
        elif seen:
            raise ValueError(z)


def an_or(self, other):
    equal = self.same(other)
    if equal is self.unknown or not equal:
        return equal
    return other


def an_assertion(x, y):
    assert not x or y is not x[0]
    return y
