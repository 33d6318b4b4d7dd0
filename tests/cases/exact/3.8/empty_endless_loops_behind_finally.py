def in_loop(items):
    for item in items:
        with item:
            try:
                item()
            finally:
                if items():
                    break
            while 1:
                pass


def in_finally(items):
    try:
        items()
    finally:
        while 1:
            pass


def in_both(items):
    try:
        if items():
            return 1
        while 1:
            pass
    finally:
        if items():
            while True:
                pass
        items()
