def function(condition, items):
    try:
        if condition:
            try:
                raise condition
            except* ValueError:
                pass
            items()
        items(condition)
    finally:
        condition()


def loops(items):
    while True:
        try: items()
        except ValueError: items(1)


def endless(items):
    while True:
        try: items()
        finally: items(1)
