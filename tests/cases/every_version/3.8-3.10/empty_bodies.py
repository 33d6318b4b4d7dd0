def finally_only(self):
    hit = False
    try:
        pass
    finally:
        hit = True
    self.assertTrue(hit)


def raises():
    try:
        pass
    finally:
        raise OSError


def nested():
    try:
        try:
            pass
        except:
            x = True
        else:
            y()
        raise Exception('foo')
    except:
        z = 3


def clauses():
    try:
        pass
    except A:
        b()
    except C:
        d()
    except:
        pass
    e()


def two():
    try:
        pass
    except A as e:
        a(e)
    try:
        pass
    except B as e:
        b(e)
    c()
