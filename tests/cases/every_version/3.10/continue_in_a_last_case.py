def not_written(items, a):
    while items:
        if a:
            match items:
                case [x, 1]:
                    a()


def written(items, a):
    while items:
        if a:
            match items:
                case [x, 1]:
                    a()
                case _:
                    continue


def in_for(items, a):
    for one in items:
        if a:
            match one:
                case [x, 1]:
                    a()


def at_the_end(items, a):
    while items:
        match items:
            case [x, 1]:
                a()
            case _:
                continue


def pattern_as_wide(items, a):
    while items:
        match a:
            case str(x):
                items()
            case {'k': x}:
                raise ValueError(x)
