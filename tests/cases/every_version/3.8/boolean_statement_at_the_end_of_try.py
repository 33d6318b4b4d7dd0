def remove(path, log):
    try:
        path.exists() and path.unlink()
    except OSError as error:
        log(error)


def check(value, log):
    try:
        value or fail()
    except ValueError:
        log('bad')
    else:
        log('good')


try:
    ready or start()
except RuntimeError:
    pass
