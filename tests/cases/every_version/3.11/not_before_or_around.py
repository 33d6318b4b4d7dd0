def f(a, b, c):
    if not a or not b:
        c()
    if not (a and b):
        c()
    if not a and not b.x():
        c()
    if not (a or b.x()):
        c()
    if not a.b and not c and not d:
        c()
    if not (a.b or c or d):
        c()
    if a is not None and not f(a) and not g(a):
        c()
    if not (a is None or f(a) or g(a)):
        c()
    while not a or not b:
        c()
    while not (a and b):
        c()
    if a not in b and not c:
        c()
    if not (a in b or c):
        c()
    if a and b or c:
        return 1
    if (a or b) and not c:
        return 2
