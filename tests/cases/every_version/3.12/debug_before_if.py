def f(self):
    if __debug__:
        if self.debug >= 4:
            self._mesg(1)
    try:
        g()
    except E:
        h()


def f2(self):
    x = 1
    if __debug__:
        if self.debug >= 4:
            self._mesg(1)
    return x


def f3(self):
    while True:
        if literator:
            literal = literator(self)
        if __debug__:
            if self.debug >= 4:
                self._mesg(1)
        try:
            g()
        except E:
            h()


def f4(self):
    if __debug__:
        self._mesg(1)
    return x


def f5(self):
    if a:
        b()
    if __debug__:
        if self.debug >= 4:
            self._mesg(1)
    g()


def g(self):
    while True:
        tag = a
        if literator:
            literal = literator(self.continuation_response)
        if __debug__:
            if self.debug >= 4:
                self._mesg('write literal size %s' % len(literal))
        try:
            self.send(literal)
            self.send(CRLF)
        except OSError as val:
            raise self.abort('socket error: %s' % val)
        if not literator:
            break
    return tag


def dis(self):
    for a in b:
        if c or d and e:
            assert a not in after
            if __debug__:
                if a in before:
                    assert before[-1] is x
            if y:
                z = 1
        f()
