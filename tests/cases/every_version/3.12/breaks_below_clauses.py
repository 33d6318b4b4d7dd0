def a(self, path):
    while True:
        try:
            st = stat(path)
        except (OSError, ValueError):
            if self == path:
                raise Z(path)
            path = self
        else:
            if st.mode != 3:
                raise Z(st)
            break
    self.archive = path


def b(self):
    m = None
    while True:
        try:
            m = self.f()
        except EOFError as e:
            if self.x:
                self.g()
                continue
        except InvalidError as e:
            if self.x:
                self.h()
                continue
            elif self.offset == 0:
                raise ReadError(str(e)) from None
        except EmptyError:
            if self.offset == 0:
                raise ReadError('empty file') from None
        except Exception as e:
            raise
        break
    if m is not None:
        self.y(m)
    return m

