def as_wide_as_return(a):
    if a:
        if a.b:
            result = a.c(3)
        else:
            result = a.d(4)
    else:
        result = None
    return result
