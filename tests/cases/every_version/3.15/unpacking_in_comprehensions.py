def listed(a):
    return [*x for x in a]


def in_a_set(a, b):
    return {*x for x in a if x for y in b}


def in_a_dictionary(a):
    return {**x for x in a if x}


def nested(a):
    return [*[*y for y in x] for x in a]


def generated(a):
    return (*x for x in a if x)
