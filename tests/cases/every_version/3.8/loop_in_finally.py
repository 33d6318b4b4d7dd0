def drained(queue):
    try:
        work()
    finally:
        try:
            while True:
                queue.get_nowait()
        except Empty:
            pass
    return queue


def raised(a):
    try:
        with a:
            work()
    finally:
        try:
            raise E
        except E as error:
            log(error)
        except (F, G):
            log()
    return a
