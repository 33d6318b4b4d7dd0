while 0 < (n := next_number()) < 3:
    print(n)
if 0 < (m := next_number()) <= (k := next_number()) < 3:
    print(m, k)
found = [number for item in items if 0 < (number := length(item)) < 3]


def of_function(f):
    if f(0) < (x := f(1)) < f(2):
        return x
    return 0 < (x := f(3)) < 4


def of_global(f):
    global total
    return 0 < (total := f()) < 4


def of_cell(f):
    if 0 < (x := f()) < 4:
        return lambda: x
    return None
