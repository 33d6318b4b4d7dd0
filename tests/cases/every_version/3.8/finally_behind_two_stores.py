"""The second of two names is as wide as ``return``, ``break`` or ``continue``: it is no such statement."""


def as_wide_as_return(self, x):
    try:
        stdout, stderr = x
    except KeyError:
        raise
    finally:
        self.c = True
    self.wait()


def as_wide_as_continue(self, x):
    for y in x:
        try:
            name, variable = y
        except KeyError:
            raise
        finally:
            self.c = True
        self.wait()


def as_wide_as_break(self, x):
    while x:
        try:
            name, value = x
        except KeyError:
            self.d()
            raise
        finally:
            self.c = True
        self.wait()


def in_with(self, x):
    with self.a:
        stdout, stderr = x
    self.wait()
