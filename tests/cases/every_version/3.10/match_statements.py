def kinds(x):
    match x:
        case 1:
            a()
        case [a, 2, *rest]:
            b(a)
        case {'k': v, **r} if v:
            c()
        case P(y, z=3) as q:
            d()
        case 1 | 2 | None:
            e()
        case [b, _]:
            g()
        case {}:
            h()
        case _:
            i()
    return 1


def exits(x):
    match x:
        case 1:
            return 2
        case A.B:
            return 3
        case str():
            pass
        case y if y > 3 and z:
            y = 5
        case _:
            y = 4
    return y


def two_subjects(x, y):
    match (x, y):
        case [1, 2] | [2, 1]:
            return 'a'
        case [a, b] if a == b:
            return a
        case a:
            return a


def sequences(x):
    match x:
        case [Point(x=0, y=0), Point(x=a, y=b) as q, *_]:
            return a, b, q
        case [_, _, *rest]:
            return rest
        case [*_, last]:
            return last
        case [[1, a], [2, b]] if (c := a) or b:
            return c
        case []:
            return None


def mappings(x):
    match x:
        case {'a': 1, 'b': {'c': [d, e]}}:
            return d + e
        case {'z': None, **kw}:
            return kw
        case {A.B: int() | str() as v}:
            return v
        case {}:
            return 0


def values(x):
    match x:
        case True | False as flag:
            return flag
        case [1 | 2 as k, _]:
            return k
        case -1 | 1.5 | 's' | b'x' | 1 + 2j:
            return 0
        case P() | Q(a=1):
            return 1


def in_a_loop(xs):
    for x in xs:
        match x:
            case 1:
                continue
            case 2:
                break
            case [a] | [a, _]:
                print(a)
        print(x)


def around_others(x):
    match x:
        case P():
            try:
                f()
            except E:
                g()
        case int(n) | float(n):
            if n:
                return 1
            h()
        case _:
            k()
    z()


def in_others(x):
    if x:
        match x:
            case 1:
                a()
            case 2:
                b()
    else:
        c()


def generator(x):
    while True:
        match x.next():
            case None:
                return
            case ['a', y]:
                yield y
            case ['b', [*ys]]:
                yield from ys


def nested(x):
    match x:
        case 1:
            match y:
                case [2]:
                    a()
                case _:
                    b()
        case 3:
            c()
    d()


def guards_alone(x):
    match x:
        case y if y:
            z = 0
        case [*_]:
            z = 2
    return z


class C:
    def f(self, x):
        match x:
            case self.__v:
                return 1
            case [__w]:
                return __w
            case D(__a=1):
                return 2


def statements_with_handlers_as_bodies(x, a):
    for y in x:
        match y:
            case int(c):
                try:
                    del c
                except ValueError:
                    pass
            case [_, _]:
                try:
                    a()
                finally:
                    x()
            case _:
                with a:
                    a()


def in_a_finally_body(x, a):
    try:
        if x:
            return a()
        a(x)
    finally:
        match a:
            case [1, _] | [_, 1]:
                x()
            case {'k': b}:
                a()
