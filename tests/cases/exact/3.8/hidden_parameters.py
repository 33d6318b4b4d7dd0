"""Parameters of functions and lambdas whose names are those of comprehensions' variables in them, too."""


def f(x):
    return [x for x in x]
def g(x):
    y = [x for x in x]
    return y
h = lambda x: [x for x in x]
i = lambda x: ([y for x in x for y in x], x)
j = lambda x: foo([x for x in z], x)
lambda *, name: [0 for name in name]
lambda name, /: 0({0 for name in u}, name)
lambda x: [x for x in x] if x else {x: y for x in x for y in x} or x if y else [[x for x in x] for x in x] + x
lambda x: (x := [x for x in x]) and x.y
