"""Clauses of comprehensions that follow a condition which is a false constant."""


def f():
    return [0 for a in b if None for c in d]
def g():
    return {0 for a in b if x if '' for c, e in d if y for z in f if u}
def h():
    return {0:1 for a in b if '' for c, *e in d if 0 for z in f if u}
def i():
    return [(0 for a in b if n) for n in 0 if '']
def j():
    return (0 for a in b if '' for n in 0 if '')
def k():
    return [c for a in b if not a if None for c in d]
def l():
    return [lambda: c for a in b if None for c in d]
def m():
    return [lambda: c for a in b if None for c in d if (lambda: a)]
def n():
    return [[x for x in c] for a in b if None for c in d]
[0 for a in b if None for c in d]
[(0 for u in v if name_1) for name_1 in 0 if f'']
class C:
    x = [0 for a in b if '' for c in d if 0]
    y = {lambda: (a, c): 0 for a in b if '' for c in d if 0}
async def f():
    return [0 async for a in b if None async for c in d]
async def g():
    return (c async for a in b if 0 async for c in d)
def h():
    def i():
        return [lambda: (c, q) for a in b if '' for c in d]
    q = 1
    return i
def j(q):
    return [[q for q in r] for a in b if '' for q in q]
def k(q):
    return [0 for a in (lambda: q) if '' for q in q], q, lambda: q
{0: 0 for u in [] if {0 for name_2 in v} for () in u2 if f'' for () in 0 if name_2}
lambda name_3, /: 0({0 for name_3 in u}, name_3)
def l():
    return [0 for a in b if name_0 for c in d if None for name_0 in e]
[0 for a in b if x for c in d if None for x in e]
{0 for name_2[0] in u for v in 0 if None for name_2 in w}
{0 for 0[name_4] in u for v in w if b'' for name_4 in x}
(0 for [] in 0 if name_1 for [] in u if {0 for name_1 in v} if f'')
(0 for () in u if [0 for name_0 in v] if name_0 for [] in [] if f'')
{0: 0 for name_0.name_1 in t if f'' for name_0 in 0.0}
[0 for u in 0 if name_0 for v in [0 for name_0 in w] if None for name_0 in x]
{0 for u in v if [0 for name_4 in w] if name_4 for x in y if b'' for name_4 in z}
[0 for u in 0 if {0 for v in w for name_0 in x} if () for name_0 in y]
{0: 0 for u in 0 if {0: 0 for v in w for name_0 in x} for y in 0 if '' for name_0 in z}
(0 for () in u if name_2 for [] in [] if f'' if [0 for name_2 in v])
