def in_with(source):
    with source.lock:
        try:
            source.open()
        except OSError:
            source.log()
            try:
                source.retry()
                return True
            except ValueError:
                source.fail()
            finally:
                source.close()
        finally:
            source.end()


def without_inner_handler(source):
    with source.lock:
        try:
            source.open()
        except OSError:
            try:
                source.retry()
                return True
            finally:
                source.close()
        finally:
            source.end()


def of_none(source):
    with source.lock:
        try:
            source.open()
        except OSError:
            try:
                source.retry()
                return
            except ValueError:
                source.fail()
            finally:
                source.close()
        finally:
            source.end()


def in_a_loop(sources):
    for source in sources:
        try:
            source.open()
        except OSError:
            try:
                source.retry()
                return True
            except ValueError:
                source.fail()
            finally:
                source.close()
        finally:
            source.end()
