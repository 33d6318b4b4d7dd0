def sup():
    src = None
    try:
        with make() as (fd, src):
            with make() as (fd, dst):
                try:
                    sendfile(fd, 0)
                except OSError:
                    return False
                else:
                    return True
    finally:
        if src is not None:
            unlink(src)


def fresh(usefrozen):
    with a():
        try:
            with b(usefrozen):
                try:
                    for m in y:
                        __import__(m)
                except ImportError:
                    return None
                return h(name)
        finally:
            save(names)
