def d(self, r, w):
    try:
        fds = g(r)
        try:
            if h:
                i()
            pid = j(fds)
        finally:
            if h:
                k()
    except:
        close(w)
        raise
    else:
        self._fd = w
        self._pid = pid
    finally:
        close(r)


def d1(self, r, w):
    try:
        fds = g(r)
        try:
            pid = j(fds)
        finally:
            k()
    except:
        close(w)
        raise
    else:
        self._pid = pid
    finally:
        close(r)


def d2(self, r, w):
    try:
        fds = g(r)
        try:
            pid = j(fds)
        finally:
            if h:
                k()
    except:
        close(w)
        raise
    finally:
        close(r)


def d3(self, r, w):
    try:
        fds = g(r)
        if fds:
            k()
    except:
        close(w)
        raise
    else:
        self._pid = pid
    finally:
        close(r)


def d4(self, r, w):
    try:
        fds = g(r)
    except:
        close(w)
        raise
    else:
        self._pid = pid
    finally:
        close(r)

