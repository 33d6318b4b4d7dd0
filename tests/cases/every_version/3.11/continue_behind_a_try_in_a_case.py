def in_for(items, a):
    for one in items:
        match a:
            case one.first:
                try:
                    one.read()
                except ValueError:
                    continue
                continue
            case [x, *_]:
                one.skip()
        one.end()
