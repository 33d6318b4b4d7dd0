def several(a, b):
    a = (a, [a for x in a if 0])
    return {x: x for x in a if b if False}, {x for x in [y for y in b if False] if b}


def of_each_kind(a, b):
    return [a for x in a if 0], {a: b for x in a if 0}, [z for x in a for y, z in b if x if 0], (a for x in a if 0)
