"""A module, and a class, end with endless loops."""

class C:
    while 1:
        line = f()
        if not line:
            break
        g()


class Documented:
    __doc__ = """\
    When ``True``, enable log output for this element.

    This has the effect
    """
    def f(self):
        pass


while 1:
    with a:
        if x:
            break
        g()
