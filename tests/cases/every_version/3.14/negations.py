def not_of_a_test(a, b):
    if not a in b:
        a.append(b)
    if a not in b:
        b.append(a)
    while not a is b:
        a = a.next(b)
    return b


def not_of_another_test(a, b):
    assert not a is b
    assert not a in b and a, 'message'
    c = 1 if not a in b else 2
    d = [x for x in a if not x in b]
    return lambda: c if not d in b else a
