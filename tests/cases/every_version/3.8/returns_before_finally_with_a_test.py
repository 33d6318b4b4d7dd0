def two(self, fut=None):
    try:
        if fut:
            return
        if self.closing:
            return
        self.read()
    finally:
        if self.length > -1:
            self.data(self.length)


def with_clauses(self, fut=None):
    length = -1
    try:
        if fut is not None:
            length = fut.result()
            if length == 0:
                return
        if self.closing:
            return
        if not self.paused:
            self.read()
    except OSError as exc:
        self.error(exc)
    else:
        if not self.paused:
            self.add()
    finally:
        if length > -1:
            self.data(length)
