# Of two stores to one variable in a row the compiler keeps the first only where they are on different lines.


def in_a_loop(rows):
    for (
        _,
        _,
        _,
        height,
    ) in rows:
        print(height)


def on_one_line(row):
    _, _, height = row
    return height


def both(row):
    (_, _), (
        _,
        _,
    ), row.height, (_, width) = row
    return width


def chained(row):
    (
        _,
        _,
    ) = pair = row
    return pair


def in_a_comprehension(rows):
    return [
        height
        for (
            _,
            _,
            height,
        ) in rows
    ]


def in_a_with_statement(manager):
    with manager as (
        _,
        _,
        height,
    ):
        return height


def with_others_between(row):
    (
        _,
        row.width,
        _,
        row["a key"],
        _,
        _,
    ) = row


def of_a_global(row):
    global _
    (
        _,
        _,
    ) = row
