def grouped(a):
    match a:
        case 'x':
            try:
                raise KeyError
            except* Exception:
                f()
        case None:
            pass


def handled(a):
    match a:
        case 'x':
            try:
                raise KeyError
            except Exception:
                f()
        case None:
            pass
