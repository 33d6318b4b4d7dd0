def body_ends(classes, entry):
    for klass in classes:
        result = klass.get(entry)
        if result is None:
            continue
        if result.known:
            return False
        return True
    return entry


def other_operator(codes, known, put):
    for op, arg in codes:
        big = False
        if op is put:
            if arg not in known:
                continue
            data = put(arg)
            known[arg] = op
        elif op is None:
            data = known[arg]
        else:
            data = op
            big = len(data) > 9
        use(data, big)


def last_of_alternatives(values, known):
    for x in values:
        if x < 3:
            use(x)
            if x == 1:
                known.clear()
        elif x == 9:
            use(9)
        elif x in known:
            continue
        else:
            raise ValueError(x)
    return values
