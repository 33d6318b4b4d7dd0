def copied_behind_a_try(self, key, default=None):
    try:
        return self[key]
    except KeyError:
        self[key] = default
    return default


def copied_in_a_loop(self, v, i):
    while v:
        i += 1
        try:
            v = self[i]
            if v == 2:
                return i
        except IndexError:
            break
    raise ValueError


def value_before_a_copied_call(self, state):
    object.__setattr__(self, 'safe', safe(state['safe']) if 'safe' in state else safe.unknown)


def falls_off_behind_else(x):
    try:
        x()
    except A:
        x(1)
    else:
        x(2)


try:
    from a import b
except ImportError:
    pass
else:
    c = b
