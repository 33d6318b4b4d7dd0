# What compilers do that opcodes do not say: one function for each fact of Behavior.
# After a change: python tests/recorded_compilers.py --add behavior tests/cases/behavior.py 3.7 3.8 3.9 3.10 3.11 3.12 3.13 3.14 3.15

import sys


def handlers_are_last(x):
    try:
        x()
    except ValueError:
        x = "handler"
    return x(x(x("after")))


def else_is_last(x):
    try:
        x()
    except ValueError:
        x = "handler"
    else:
        x = "else"
    return x


def exits_are_copied(x):
    if x:
        x()
    else:
        x(x)


def loop_tests_are_copied(x):
    while x.test:
        x()


def lines_leave_nops(x):
    pass
    return x


def folds_constant_tests(x):
    return True and x


def folded_tests_stay(x):
    if 7 * 1000:
        x()


def folds_percent_formats(x):
    return "%s" % (x,)


def joins_long_strings(x):
    return f"{x}1{x}2{x}3{x}4{x}5{x}6{x}7{x}8{x}9{x}10{x}11{x}12{x}13{x}14{x}15{x}"


def keeps_not(x, y):
    if not x in y:
        return 1
    return 2


def folded_constants_are_last(x):
    return x(7 * 1000, 800)


def slices_are_constants(x):
    return x[1:2:3]


def folds_beginnings_of_displays(x):
    return [1, 2, 3, *x]


def functions_of_imports_are_no_methods(x):
    sys.exit(x.exit())


def drops_overwritten_stores(x):
    x, x = x


def annotations_are_lazy(x):
    def function(y: x):
        return y


def mappings_are_copied(x):
    return x(**x)


def generators_have_a_handler():
    yield


def generator_expressions_iterate(x):
    return (y for y in x)


def tests_jump_on_line_of_statement(x):
    if (x and
            x()):
        x()


def asserts_have_lines_of_comparisons(x):
    assert (
        x or
        x < 1)


class comprehensions_in_classes_save_all:
    [x for x in y]


def delegation_is_told_by(x):
    try:
        yield
        yield from x
    finally:
        x()


def close_is_told_by(x):
    yield
    try:
        yield
    finally:
        x()
