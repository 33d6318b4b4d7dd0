def returned_in_a_loop(a):
    try:
        a()
        for x in a:
            if x:
                return True
            x()
    finally:
        if a.b:
            a.close()
            if a.c:
                a.d()
            match a:
                case {'key': x}:
                    pass


def returned(a):
    try:
        if a:
            return True
    finally:
        match a:
            case {'key': x}:
                pass


def below_a_test(a):
    try:
        if a:
            return True
    finally:
        if a.b:
            match a:
                case {'key': x}:
                    pass


def after_a_loop(a):
    try:
        for x in a:
            if x:
                return True
    finally:
        match a:
            case {'key': x}:
                pass
