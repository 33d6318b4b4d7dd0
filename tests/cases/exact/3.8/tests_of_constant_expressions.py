"""From 3.14 on, the compiler folds constants after it has dropped the tests of literals: these tests stay."""

if 60 * 60:
    print("an hour")


def loops(items):
    while 1 + 1:
        if items():
            break
    while 0 * 1:
        items()
    items("after")
    for item in items:
        if 2**3:
            continue
        items(item)


def conditions(items, item):
    assert 1 + 1
    assert 0 * 3, "never"
    if not 3 - 3:
        items()
    elif item and "a" + "b" or b"" + b"":
        item()
    value = 1 if (None, 2)[0] else item
    other = (2 - 2) and item
    third = item or (False, True)[0] or (1, 2)[0]
    return value, other, third, not 1 + 1, not (...,)[0], [one for one in items if 1j * 2]


class Body:
    while 7 // 7:
        break
    while -7 // 7:
        inner = 1
