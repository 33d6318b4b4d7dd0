def breaks_in_else(them):
    for one in them:
        try:
            found = a(one)
        except E as error:
            continue
        else:
            break
    else:
        return 1
    b(found)


def breaks_in_body(them):
    for one in them:
        try:
            found = a(one)
            break
        except E as error:
            continue
    b(found)


def breaks_before_the_rest(them):
    while them:
        try:
            found = a(them)
            break
        except E as error:
            pass
        b()
    c(found)


def continues_in_else(them):
    while them:
        try:
            found = a(them)
        except E as error:
            pass
        else:
            continue
        b()
    c(found)


def continues_in_body(them):
    while them:
        try:
            found = a(them)
            continue
        except E as error:
            pass
        b()
    c(found)
