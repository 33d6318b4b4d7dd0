def on_lines_below(first, second, third):
    if first is second:
        assert len(third) == 1
    first()
    if first and third:
        assert second, 'message'
    if first or third:
        assert second == third, f'message {first}'
    assert not first or second
    assert not first or third, 'message'
    return first


def at_ends(first, second):
    for one in first:
        if one:
            assert second == 1
    while first:
        assert second
    try:
        if first:
            assert second and first.second
    finally:
        if first and second:
            assert second or first.second
    if first:
        first()
    elif second:
        assert first.second
