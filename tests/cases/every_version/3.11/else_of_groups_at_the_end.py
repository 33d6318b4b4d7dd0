def f():
    try:
        x()
    except* E as err:
        b()
    else:
        c()
