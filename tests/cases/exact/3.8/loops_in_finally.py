def at_the_end(a):
    try:
        a()
    finally:
        for x in y:
            if x:
                break


def before_more(a):
    try:
        a()
    finally:
        for x in y:
            if x:
                break
    b()


def a_condition(a):
    try:
        return a()
    finally:
        b() or c()


def with_an_else(a):
    try:
        a()
    finally:
        for x in y:
            if x:
                break
        else:
            raise E


def other_statements(a):
    try:
        a()
    finally:
        while x:
            try:
                if b:
                    break
            except E:
                break
        with z:
            b and c()
