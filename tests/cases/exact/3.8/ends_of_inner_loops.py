"""Inner loops that end in ``raise`` or ``assert``, in endless ones."""


def d():
    while True:
        n()
        while True:
            child()
            if e:
                break
            assert a
def e():
    while True:
        n()
        while True:
            try:
                child()
            except KeyError:
                return p()
            if e:
                break
            if not a:
                raise B
def f():
    while True:
        n()
        while True:
            try:
                child()
            except KeyError:
                p()
            if e:
                break
            assert a
def g():
    for x in y:
        n()
        while True:
            try:
                child()
            except KeyError:
                return p()
            if e:
                break
            assert a
def h():
    while True:
        n()
        while True:
            try:
                child()
            except KeyError:
                return p()
            assert a
def a(self, node):
    while True:
        for i, x in node:
            if i in f:
                append(x)
            else:
                attempts = 0
                while True:
                    if attempts <= 10:
                        try:
                            v = self.draw(x)
                        except StopTest:
                            attempts += 1
                            continue
                    else:
                        v = self.cache(x)
                    if v != x:
                        append(v)
                        break
                    attempts += 1
                    self.reject(x)
                return tuple(prefix)
        attempts = 0
        b(node)
def b(self, node):
    while True:
        n()
        while True:
            if attempts <= 10:
                try:
                    v = self.draw(x)
                except StopTest:
                    attempts += 1
                    continue
            else:
                v = self.cache(x)
            try:
                child = x[v]
            except KeyError:
                append(v)
                return tuple(prefix)
            if not child.e:
                append(v)
                node = child
                break
            attempts += 1
            self.reject(x)
            assert attempts != 1000 or len(x) < x.m or any(not v.e for v in x)
def c(self, node):
    while True:
        n()
        while True:
            try:
                child = x[v]
            except KeyError:
                append(v)
                return tuple(prefix)
            if not child.e:
                break
            self.reject(x)
def d(self, node):
    while True:
        n()
        while True:
            try:
                child = x[v]
            except KeyError:
                return tuple(prefix)
            if not child.e:
                node = child
                break
            self.reject(x)
            assert attempts != 1000 or len(x) < x.m
