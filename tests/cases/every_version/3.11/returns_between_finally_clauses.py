def between():
    try:
        try:
            f()
        finally:
            f()
        return True
    finally:
        f()


def before_a_lambda(w, a):
    with w():
        try:
            f()
        except E:
            if a:
                return True
        finally:
            x = lambda: a + 12


def in_an_arm(w, a):
    with w():
        try:
            f()
        except E:
            if a:
                return True
        finally:
            h()


def of_a_value(w, a):
    with w():
        try:
            f()
        except E:
            if a:
                return x
        finally:
            h()


def between_two(self):
    try:
        f = open(TESTFN, 'wb')
        try:
            f.write(b'\xa1')
        finally:
            f.close()
        f = codecs.open(TESTFN, 'r', encoding='cp949')
        try:
            self.assertRaises(UnicodeDecodeError, f.read, 2)
        finally:
            f.close()
    finally:
        support.unlink(TESTFN)
