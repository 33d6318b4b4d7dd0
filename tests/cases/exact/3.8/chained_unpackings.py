"""Chained assignments to tuples with branches in a target."""


def f():
    a[b and c], = d
def g():
    a[b and c], x = y = d
def h():
    x = a[b and c], y, z = d
def i():
    x = a[b and c], (y, q[0 if r else t]), z = d
def j1():
    x = y[1 if t else 2] = z = d
def j():
    (a, b[c or d]), x[y or z] = q
def k():
    x = [0[{0: 0 for u in v}]] = 0
def l():
    x.y = (a or b)[0], = z = 0
def m():
    () = (0 if u else 0)[0], = 0
def n():
    x, y = (0 if u else 0)[0], = 0
def o():
    for (x, y[a and b]) in z: pass
def p():
    x[a or b] = [y[q or r], *y[a and b]] = x, y = z
def q():
    x[a or b] = u = y[q or r], *y[a and b] = [x, y] = z
