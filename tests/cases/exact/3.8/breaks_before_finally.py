"""Loops that are left by ``break`` or by their test, in ``try`` statements with ``finally``."""


def f(args):
    for target in targets:
        verbosity = args.verbosity
        try:
            while tries:
                try:
                    x()
                    break
                except E:
                    y()
            passed.append(target)
        except Exception as ex:
            failed()
            if c:
                d()
                continue
            raise
        finally:
            z(verbosity)
def g(args):
    for target in targets:
        try:
            while tries:
                try:
                    x()
                    break
                except E:
                    y()
            passed.append(target)
        finally:
            z(verbosity)
def h(args):
    for target in targets:
        try:
            while tries:
                tries -= 1
                try:
                    try:
                        u()
                    finally:
                        if v:
                            w()
                    x()
                    break
                except E:
                    if not c:
                        raise
                    if d:
                        z()
                        raise
                    y()
            passed.append(target)
        finally:
            z(verbosity)
