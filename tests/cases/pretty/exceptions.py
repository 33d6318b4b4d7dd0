def converted(text):
    try:
        value = int(text)
    except ValueError:
        value = None
    except (TypeError, OverflowError) as error:
        raise RuntimeError('bad') from error
    else:
        print(value)
    finally:
        text.close()
    return value


def in_a_loop(items):
    for item in items:
        try:
            item.run()
        except KeyError as error:
            item.fail(error)
            continue
        except:
            raise
        item.done()


def final(lock):
    lock.acquire()
    try:
        return lock.value
    finally:
        lock.release()


def managed(path):
    with open(path) as source, lock:
        if not source:
            return None
        data = source.read()
    with other:
        data.use()
    return data


def both(path):
    try:
        with open(path) as f:
            return f.read()
    except OSError:
        return ''
