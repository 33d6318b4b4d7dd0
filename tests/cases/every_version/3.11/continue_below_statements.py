def below_an_if(a):
    while a:
        if a:
            f()
        continue


def below_a_try(a):
    for i in a:
        try:
            f()
            return
        except E:
            g()
        continue


def below_an_else(a):
    while a:
        if a:
            f()
        else:
            g()
        continue
