"""Statements in loops that end where the loop goes on: tests that fall through, comprehensions in an else clause."""


def chain_then_continue(alpha, p, x):
    if alpha > 1.0:
        while True:
            u1 = random()
            if not 1e-07 < u1 < 0.9999999:
                continue
            if h(u1):
                return x
    elif alpha == 1.0:
        return 1
    else:
        while True:
            u1 = random()
            if p > 1.0:
                if u1 <= x ** (alpha - 1.0):
                    break
            elif u1 <= _exp(-x):
                break
        return x


def chain_then_continue_in_while_true():
    while True:
        u1 = random()
        if not 1e-07 < u1 < 0.9999999:
            continue
        if h(u1):
            return x


def else_with_a_comprehension(info):
    for info in iter_modules(path, prefix):
        yield info
        if info.ispkg:
            try:
                __import__(info.name)
            except ImportError:
                if onerror is not None:
                    onerror(info.name)
            except Exception:
                if onerror is not None:
                    onerror(info.name)
                else:
                    raise
            else:
                path = getattr(sys.modules[info.name], '__path__', None) or []
                path = [p for p in path if not seen(p)]
                yield from walk_packages(path, info.name + '.', onerror)


def continue_in_a_clause(self):
    if name is None:
        while True:
            name = _make_filename()
            try:
                self._fd = _posixshmem.shm_open()
            except FileExistsError:
                continue
            self._name = name
            break
    else:
        name = x
    return name


def chain_then_continue_in_while():
    while a():
        u1 = random()
        if not 1e-07 < u1 < 0.9999999:
            continue
        if h(u1):
            return x


def chain_then_continue_in_for():
    for u in a():
        u1 = random()
        if not 1e-07 < u1 < 0.9999999:
            continue
        h(u1)


def chain_at_the_end():
    for u in a():
        if 1e-07 < u1 < 0.9999999:
            h(u1)


def chain_before_continue():
    while a():
        if 1e-07 < u1 < 0.9999999:
            continue
        h(u1)


def chain_before_else():
    while a():
        if 1e-07 < u1 < 0.9999999:
            h(u1)
        else:
            g()


def not_chain_before_else():
    while True:
        if not 1e-07 < u1 < 0.9999999:
            h(u1)
        else:
            g()


def else_ends_by_yield_from(info):
    for info in iter_modules(path, prefix):
        try:
            imp(info.name)
        except ImportError:
            if onerror is not None:
                onerror(info.name)
        else:
            path = [p for p in path if not seen(p)]
            yield from walk(path)


def else_is_a_comprehension(info):
    for info in iter_modules(path, prefix):
        if x:
            try:
                imp(info.name)
            except ImportError:
                if onerror is not None:
                    onerror(info.name)
            else:
                path = [p for p in path]


def else_is_a_choice(info):
    for info in iter_modules(path, prefix):
        try:
            imp(info.name)
        except ImportError:
            if onerror is not None:
                onerror(info.name)
        else:
            path = a or b
