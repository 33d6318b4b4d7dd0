def inside_an_inner_function():
    if False:
        x = 0

    def inner():
        return x

    return inner


def behind_a_comprehension():
    if False:
        x = 0
    [x for x in [1]]
    return x


def bound_by_statements(y):
    for x in y:
        print(x)
    with y as z:
        pass
    g([x for x in [1]], [z for z in y])
    return x, z


def bound_inside(a):
    def g():
        nonlocal y
        y = 1
        return [lambda: z for z in a], z

    if False:
        y = z = 1
    return g


def of_a_class():
    class C:
        def cell(self):
            def maker():
                if False:
                    __class__ = 42

                def method(self):
                    return __class__

                return method

    return C


def a_function_that_nobody_gets():
    lambda: k
    k = 1
    return [locals() for k in [0]]


def conditions_that_always_hold(a):
    if a() or True:
        b()
    return [x for x in a if [].append(x) or True], {x for x in a if x or 1 if x.c}, k(x for x in a if x and x.c or 1)
