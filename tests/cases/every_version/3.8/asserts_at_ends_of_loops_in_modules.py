for name in names:
    print(name)
    assert name in known, name
for name in names:
    assert name
for name in names:
    if name:
        continue
    assert False, name


def function():
    for name in names:
        if name:
            continue
        assert False


class Checked:
    for name in names:
        assert name in known
