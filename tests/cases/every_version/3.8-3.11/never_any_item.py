def f(y):
    [x for x in y if False]
    {x for x in y for x in x if False}
    return (x for x in y if False)
