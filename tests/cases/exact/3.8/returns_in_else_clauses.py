"""A ``return`` of something new in an ``else`` clause, or behind: it raises nothing, so only its place tells."""


def f():
    try:
        from PIL import Image
    except ImportError:
        return [e(1)]
    else:
        return []
def g():
    try:
        a()
    except ImportError:
        return [e(1)]
    else:
        return []
def h():
    try:
        a()
    except ImportError:
        return [e(1)]
    return []
def i():
    try:
        a()
        return []
    except ImportError:
        return [e(1)]
