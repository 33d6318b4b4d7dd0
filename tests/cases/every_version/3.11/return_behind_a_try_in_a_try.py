def of_none(source):
    try:
        try:
            source.open()
        except OSError:
            source.log()
        return None
    except ValueError:
        source.fail()
    finally:
        source.close()


def without_finally(source):
    try:
        try:
            source.open()
        except OSError:
            source.log()
        return True
    except ValueError:
        source.fail()


def in_a_handler(source):
    try:
        source.open()
    except OSError:
        try:
            source.retry()
        except:
            return True
        else:
            source.log()
    finally:
        source.close()


def below_statements_of_a_handler(source, a, b, c):
    try:
        source.open()
    except OSError:
        try:
            source.retry()
        except ValueError:
            source.fail()
        source.log()
        return
    finally:
        if (a or b) and c:
            source.close()
        elif a or c:
            source.end()
        source.log()
