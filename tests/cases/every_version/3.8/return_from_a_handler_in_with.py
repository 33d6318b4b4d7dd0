def with_a_name(lock, source):
    with lock as held:
        try:
            held.open()
        except OSError as error:
            return True
        finally:
            held.close()
        value = held.value or source(error)


def without(lock, source):
    with lock as held:
        try:
            held.open()
        except OSError:
            return True
        finally:
            held.close()
        source(held)


def behind(lock, source):
    with lock as held:
        try:
            held.open()
        except OSError:
            source(held)
        finally:
            held.close()
        return True
