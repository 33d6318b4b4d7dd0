def on_several_lines(first, second, third):
    if first:
        assert (first.x == second
                and first.y == third
                and first.z == 1), \
                'message'
    else:
        assert first.x == third, \
               'other'
    assert isinstance(first, int) and (first >= 0 or
                                       first in (second, third))
    if second:
        second()
        assert (first is second or \
                first.x is second.y), ('message',
                                       third)
    assert (
        first
        or second
        or third
    ), 'message'
    return first
