def plain(a):
    return [x for x in a]


def stored(a):
    r = [x + 1 for x in a]
    return r


def dropped(a):
    [print(x) for x in a]


def set_and_dict(a):
    s = {x for x in a}
    d = {k: v for k, v in a}
    return s, d


def named_as_result(a):
    x = [x for x in a]
    return x


def outer_variable(a, x):
    r = [x for x in a]
    return r, x


def outer_global(a):
    r = [x for x in a]
    return r, x


def two_conditions(a, b):
    return [x for x in a if x and b]


def condition_or(a, b):
    return [x for x in a if x or b]


def condition_not(a, b):
    return [x for x in a if not (x and b)]


def condition_mixed(a, b, c):
    return [x for x in a if x and b or c]


def condition_chained(a, b):
    return [x for x in a if 0 < x < b]


def condition_is_none(a):
    return [x for x in a if x is not None]


def condition_ternary(a, b, c):
    return [x for x in a if (b if x else c)]


def condition_ternary_not(a, b, c):
    return [x for x in a if (not b if x else c)]


def condition_ternary_same(a, b, c):
    return [x for x in a if (b if x else b)]


def condition_chained_with_comprehension(a, b):
    return [x for x in a if 0 < x < len([y for y in b]) or b]


def condition_chained_with_or(a, b):
    return [x for x in a if 0 < (x or b) < 9 or b]


def element_ternary(a, b):
    return [x if x > b else -x for x in a]


def element_ternary_and_condition(a, b):
    return [x if x > b else -x for x in a if x]


def element_chained(a, b):
    return [a < x < b for x in a]


def element_not(a):
    return [not x for x in a]


def element_walrus(a):
    return [(y := x) for x in a]


def condition_walrus(a):
    r = [y for x in a if (y := f(x))]
    return r, y


def two_loops(a):
    return [x + y for x in a for y in x]


def two_loops_and_conditions(a, b):
    return [x + y for x in a if x for y in x if y and b]


def three_loops(a):
    return {z: x for x in a for y in x for z in y if z and x}


def one_value(a):
    return [y for x in a for y in [f(x)]]


def one_value_and_condition(a):
    return [y + z for x in a if x for y in [f(x)] if y for z in y]


def several_values(a):
    return [y for x in a for y in (x, 1)]


def nested_element(a):
    return [[y for y in x] for x in a]


def nested_element_same_name(a):
    return [[x for x in x] for x in a]


def nested_iterable(a):
    return [x for x in [y for y in a]]


def nested_second_iterable(a):
    return [z for x in a for z in [y for y in x]]


def nested_condition(a):
    return [x for x in a if [y for y in x if y]]


def nested_three(a):
    return [{k: [v for v in w] for k, w in x.items()} for x in a]


def nested_in_ternary(a, b):
    return [[y for y in x] if b else {y for y in x} for x in a]


def targets(a):
    return [x + y + z for x, (y, *z) in a]


def target_attribute(a, b):
    return [b.c for b.c in a]


def target_subscript(a, b):
    return [1 for b[0] in a]


def target_unused(a):
    return [0 for _ in a]


def iterable_ternary(a, b):
    return [x for x in (a if b else ())]


def iterable_or(a, b):
    return [x for x in a or b]


def iterable_call(a):
    return [x for x in sorted(a, key=lambda x: x)]


def captured(a):
    return [lambda: x for x in a]


def captured_and_read(a, b):
    return [(x, lambda: x + b) for x in a if x]


def captured_outside(a):
    x = 1
    r = [x for x in a]
    return lambda: (x, r)


def captured_both(a):
    x = 1
    r = [lambda: x for x in a]
    return lambda: (x, r)


def free_variable(a):
    x = 1

    def inner():
        nonlocal x
        x = 2
        return [x for x in a]

    return inner


def free_variable_read(a, b):
    def inner():
        return [x + b for x in a]

    return inner


def global_target(a):
    global g
    g = [x for x in a]
    return [(g := x) for x in a]


def nonlocal_target(a):
    n = 0

    def inner():
        nonlocal n
        return [(n := x) for x in a]

    return inner, n


def argument(a, b):
    return f(a, [x for x in b], c=1)


def two_arguments(a, b):
    return f([x for x in a], {x for x in b})


def operand(a, b):
    return b + [x for x in a] + [y for y in a]


def subscript(a, b):
    return [x for x in a][b]


def method(a):
    return ', '.join([str(x) for x in a]).strip()


def attribute_of(a):
    return {x for x in a}.union({y for y in a})


def display(a, b):
    return [b, [x for x in a], {1: [y for y in a]}, *[z for z in a]]


def in_condition(a, b):
    if [x for x in a] and b:
        return 1
    return 2


def in_assert(a):
    assert [x for x in a], [y for y in a]


def in_raise(a):
    raise E([x for x in a]) from a


def in_delete(a, b):
    del b[[x for x in a][0]]


def in_for(a):
    for y in [x for x in a]:
        print(y)
        for z in {x for x in y}:
            if z:
                print([x for x in z])


def in_default(a):
    def inner(b=[x for x in a]):
        return b

    return inner


def in_lambda(a):
    return lambda b: [x for x in b if x in a]


def in_decorator(a):
    @f([x for x in a])
    def inner():
        pass

    return inner


def in_yield(a):
    yield [x for x in a]
    y = yield from [x for x in a]
    return y


def with_yield_before(a):
    r = [x for x in (yield)]
    return r


def augmented(a, b):
    b += [x for x in a]
    b.c += [x for x in a]
    b[0] -= {x for x in a}
    return b


def chained_assignment(a):
    b = c = [x for x in a]
    return b, c


def exchange(a):
    b, c = [x for x in a], [y for y in a]
    return b, c


def exchange_three(a):
    b, c, d = [x for x in a], 1, [y for y in a]
    return b, c, d


def unpacked(a):
    b, *c = [x for x in a]
    return b, c


def to_attribute(a, b):
    b.c = [x for x in a]
    b[0] = {x: y for x, y in a}
    b.d, e = [x for x in a], [x for x in a]
    return e


def walrus_around(a):
    if n := [x for x in a]:
        return n
    return None


def in_try(a):
    try:
        return [x for x in a]
    except E as e:
        return [x for x in e]
    finally:
        print([x for x in a])


def in_with(a):
    with a as b:
        return [x for x in b]


def with_item(a):
    with [x for x in a][0] as b, f([x for x in b]):
        c = [x for x in b]
    return c


def unbound_outside(a):
    if a:
        x = 1
    r = [x for x in a]
    return r, x


def deleted(a):
    x = 1
    del x
    return [x for x in a]


def many(a):
    return [x + 1 for x in [x + 2 for x in [x + 3 for x in [x + 4 for x in a]]]]


def in_while(a):
    while [x for x in a if x]:
        a.pop()


def captured_in_generator(a):
    return [list(y for y in range(x)) for x in a]


def in_generator_iterable(a):
    return (x for x in [y for y in a])


def in_import(a):
    import b
    return [b.c(x) for x in a]


def in_chained_comparison(a, b):
    return b < [x for x in a] < [y for y in a]


def element_and_or(a, b, c):
    return [x and b or c for x in a]


def in_and_or(a, b):
    return b and [x for x in a] or [y for y in a]


def star_argument(a):
    return f(*[x for x in a], **{k: v for k, v in a})


def in_format(a):
    return f'{[x for x in a]} and {[x for x in a]!r:>{len([y for y in a])}}'


m = [x for x in a]
n = {k: [v for v in w if v] for k, w in a if k}
p = [lambda: x for x in a]
q, r = [x for x in a], {y for y in a}
for i in [x for x in a]:
    print([j for j in i])
