def a(ns):
    if ns.single:
        if not ns.verbose:
            ns.verbose3 = True
        else:
            pass
    else:
        ns.opts = False
    if ns.x:
        g()


def b(ns):
    if ns.single:
        if ns.verbose:
            ns.verbose3 = True
        else:
            pass
    else:
        ns.opts = False
    g()


def c(ns):
    if ns.verbose:
        ns.verbose3 = True
    else:
        pass
    g()


def d(ns):
    if ns:
        if ns.verbose:
            ns.verbose3 = True
        else:
            pass
    g()


def e(ns):
    if ns.single:
        if not ns.verbose:
            ns.verbose3 = True
            pass
    else:
        ns.opts = False
    g()


def f(ns):
    if ns:
        if ns.verbose:
            ns.verbose3 = True
            pass
    g()


def g(ns):
    if ns:
        if ns.verbose:
            ns.verbose3 = True
        pass
    g()
