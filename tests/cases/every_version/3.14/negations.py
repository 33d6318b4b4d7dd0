def not_of_a_test(a, b):
    if not a in b:
        a.append(b)
    if a not in b:
        b.append(a)
    while not a is b:
        a = a.next(b)
    return b
