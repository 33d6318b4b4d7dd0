def of_while(a, b):
    while a:
        try:
            b()
            break
        except ValueError:
            a()
        finally:
            b.close()


def of_for(a, b):
    for one in a:
        try:
            b(one)
            break
        except ValueError:
            a()
        finally:
            b.close()


def of_return(a, b):
    while a:
        try:
            b()
            return
        except ValueError:
            a()
        finally:
            b.close()


def through_two(a, b):
    try:
        while a:
            try:
                b()
                break
            except ValueError:
                a()
            finally:
                b.close()
    finally:
        a.close()


def in_with(a, b):
    with a() as c:
        while c:
            try:
                b()
                break
            except ValueError:
                a()
            finally:
                b.close()


def in_a_case(a, b):
    while a:
        match b:
            case [x, 1]:
                try:
                    a()
                    break
                finally:
                    b()
        b.close()
