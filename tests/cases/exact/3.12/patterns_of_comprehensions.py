def f():
    match [a for x in a if a]:
        case int(c):
            try:
                del d
            except* ValueError:
                pass
