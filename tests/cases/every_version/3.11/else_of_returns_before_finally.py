def exchanged(a):
    try:
        if a:
            return x
        else:
            x, y = g(17), a
    finally:
        f()


def deleted(a, x):
    try:
        if a:
            return x
        else:
            del x, a.b
    finally:
        f()


def deleted_item(a, x):
    try:
        if a:
            return x
        else:
            del x[1]
    finally:
        f()
