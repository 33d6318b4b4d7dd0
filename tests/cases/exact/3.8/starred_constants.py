"""Constants with a star: the compiler has no other way to keep them one value."""
x = [(*(True, True, None), {0: 1}), (*(1, 2), {1: 2})]
y = (*(1, 2), a)
z = [*(1, 2), a]
w = f(*(1, 2), a)
v = {*(1, 2), a}
u = (*[1, 2], a)
t = (*a, *(1, 2))
s = (b, *(1, 2))
r = (*(1, 2, 3),)
q = [*(1, 2, 3)]
p = {*(1, 2, 3)}
o = [*(1, 2, 3), 4 if a else b, *(3, 4, 5)]
n = {*(1, 2, 3), 4 if a else b}
m = [1, 2, 3], {1, 2, 3}, {'a', 'b', 'c'}
l = f(*(1, 2, 3))
k = f(*(1, 2), b=3)
j = [*(1, 2)], {*(1, 2)}
