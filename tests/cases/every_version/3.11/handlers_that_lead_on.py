def f():
    try:
        if ans:
            try:
                raise Exception
            except BaseException:
                a
            if ans:
                context
        with warnings:
            check
    except TypeError:
        pass


def g():
    try:
        if ans:
            try:
                raise Exception
            except* BaseException:
                a
            if ans:
                context
        check
    except TypeError:
        pass


def h():
    try:
        if ans:
            try:
                foo()
            except* BaseException:
                a
            if ans:
                context
        with warnings:
            check
    except TypeError:
        pass


def i():
    try:
        if ans:
            try:
                raise Exception
            except* BaseException:
                a
        with warnings:
            check
    except TypeError:
        pass
