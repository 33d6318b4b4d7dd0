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


def goes_on_in_finally(a, b):
    while a():
        try:
            b(1)
        finally:
            if b(2):
                continue
            b(3)


def goes_on_in_finally_of_for(a, b):
    for x in a:
        try:
            b(1)
        finally:
            if x is not None:
                b(2)
                continue
            b(3)


def left_in_the_middle(a, b):
    try:
        a()
    finally:
        while True:
            b(1)
            if b(2):
                break
            b(3)
    b(4)


def never_ends(a, b):
    try:
        a()
    finally:
        while True:
            b(1)
            b(2)


def left_in_an_endless_loop(a, b):
    while True:
        try:
            a()
        finally:
            while b(1):
                if b(2):
                    break
                b(3)
