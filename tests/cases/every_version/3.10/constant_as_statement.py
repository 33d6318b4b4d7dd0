True and 0
print(1)


def f():
    True and 'text'
    return 2
