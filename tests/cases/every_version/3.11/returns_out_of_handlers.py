def before_a_raise():
    try:
        f()
    except:
        try:
            f()
        except:
            return None
        else:
            raise E
    return True


def before_a_statement():
    try:
        f()
    except (E, F):
        try:
            f()
        except:
            return
        else:
            f()
