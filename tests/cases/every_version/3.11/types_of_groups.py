def first(f, a):
    try:
        f()
    except* A if a else B as e:
        print(e)
    except* C:
        pass


def second(f, errors):
    try:
        f()
    except* tuple([error for error in errors if error]):
        pass
    finally:
        print('done')
