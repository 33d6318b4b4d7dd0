def nested(usefrozen):
    with a():
        with b(usefrozen):
            try:
                g()
            except ImportError:
                return None
            return h(name)


def nested2(usefrozen):
    with a():
        with b(usefrozen):
            try:
                g()
            except ImportError:
                return None
            else:
                return h(name)


def nested3(usefrozen):
    with a():
        with b(usefrozen):
            if a:
                return h(name)
            else:
                return 3


def nested4(usefrozen):
    with a():
        with b(usefrozen):
            if a:
                return h(name)
            return 3


def nested5():
    try:
        with b(usefrozen):
            if a:
                return h(name)
            else:
                return c
    finally:
        g()


def nested6():
    try:
        with b(usefrozen):
            if a:
                return h(name)
            return c
    finally:
        g()


def nested7():
    with b(usefrozen):
        try:
            if a:
                return h(name)
            return c
        finally:
            g()


def nested8():
    with b(usefrozen):
        try:
            if a:
                return h(name)
            else:
                return c
        finally:
            g()
