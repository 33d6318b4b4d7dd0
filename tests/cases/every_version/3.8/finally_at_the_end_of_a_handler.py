def not_left(source):
    try:
        source.open()
    except OSError:
        try:
            source.retry()
        finally:
            source.close()


def with_a_name(source):
    try:
        source.open()
    except OSError as error:
        try:
            source.retry(error)
        finally:
            source.close()
    except ValueError:
        source.close()
