"""Conditions at the end of class bodies: the compiler copies what hands over the cell of the class."""


class A:
    def f(self):
        super().g()
    if a != 'b' or (not c and d(e, 'f')):
        def g(self): pass
class B:
    def f(self):
        super().g()
    if a != 'b':
        def g(self): pass
class C:
    def f(self):
        super().g()
    if a != 'b' or (not c and d(e, 'f')):
        def g(self): pass
    if a != 'b' or (not c and d(e, 'f')):
        def g(self): pass
class D:
    def f(self):
        super().g()
    if a: x = 1
    elif b: y = 2
    else: z = 3
class D:
    def f(self):
        super().g()
    for i in x: 
        if y: continue
        f()
    else: x = 4
class E:
    def f(self):
        super().g()
    try: 
        x = b
    except E: x = 5
class F:
    def f(self):
        super().g()
    while x:
        if y: break
        x()
class G:
    def f(self):
        super().g()
    with c:
        if a or b and not c: f()
        elif x: u()
class H:
    def f(self):
        super().g()
    if a != 'b' or (
        not c
        and d(e, 'f')
    ):
        def g(self): pass
class I:
    if a != 'b' or (
        not c
        and d(e, 'f')
    ):
        def g(self): pass
