"""Conditional expressions as the last operand of an `and` or `or` that is a statement: each arm has its own exit."""


def f(x, y):
    x or (a() if y else b())
def g(x, y):
    x and (a() if y else z or b())
class C:
    x or (a() if y else b())
x or (a() if y else b())
def h(x, y):
    x and (0 if y else b())
def i(x, y):
    x or y and (a() if z else b()) or (c if d else e())
def j(x, y):
    for x in y:
        x or (a() if y else b())
def k(x, y):
    with x:
        x or (a() if y else b())
def l(x, y):
    try:
        x or (a() if y else b())
    finally:
        x and (a() if y else b())
def f(x, y):
    x or (0 if y else 0)
def g(x, y):
    x and (1 if y else 2)
def h(x, y):
    x or (a if y else 0)
    return x
x or (0 if y else 1)
