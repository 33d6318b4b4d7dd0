"""Every type of guard that the installed torch has is known, and every form of expression has words that say it."""

import pytest

from depyf.explain.guards.collect import stable_guard_text
from depyf.explain.guards.forms import GUARD_TYPES
from depyf.explain.guards.words import describe

# Names in capitals which are no guards: what Dynamo reports about them, and the base class.
NO_TYPES = {"GUARD_VALUE_DISPATCH"}


def installed_types():
    guards = pytest.importorskip("torch._dynamo.guards")
    import torch

    builders = {name for name in dir(guards.GuardBuilder) if name.isupper()}
    leaves = {name for name in dir(torch._C._dynamo.guards) if name.isupper()}
    return (builders | leaves) - NO_TYPES


def test_every_type_of_the_installed_torch_says_what_it_checks():
    types = installed_types()
    assert len(types) > 30
    assert sorted(types - set(GUARD_TYPES)) == []


@pytest.mark.parametrize(
    ("code", "words", "run"),
    [
        ("(type(L['n']) is float and __math_isnan(L['n']))", "n is a float that is not a number (nan)",
         "type(L['n']) is float and L['n'] != L['n']"),
        ("hasattr(L['w'], 'foo')", "w has an attribute 'foo'", "hasattr(L['w'], 'foo')"),
        ("not hasattr(L['w'], 'foo')", "w has no attribute 'foo'", "not hasattr(L['w'], 'foo')"),
        ("list(dict.keys(L['d']))[0] == 1", "the first key of d is 1", "list(dict.keys(L['d']))[0] == 1"),
        ("list(dict.keys(L['d']))[1] == 2", "key 1 of d, counted from 0, is 2", "list(dict.keys(L['d']))[1] == 2"),
        ("list(dict.keys(L['d'])) == ['a']", "the keys of d are ['a'], in this order", ""),
        ("set(L['d'].keys()) == {'a'}", "the keys of d are {'a'}", "set(L['d'].keys()) == {'a'}"),
        ("___dict_version(L['d']) == 1234567", "nothing was put into d, or taken out", ""),
        ("___normalize_range_iter(L['r']) == (0, 3, 1)",
         "r is an iterator over a range: start, stop, step are 0, 3, 1", ""),
        ("___normalize_count_iter(L['c']) == (0, 2)", "c is an itertools.count: next, step are 0, 2", ""),
        ("___list_reverseiterator_len(L['c']) == 2", "c, a reversed list, has 2 items left", ""),
        ("set.__len__(L['s']) == 2", "s has 2 items", "len(L['s']) == 2"),
        ("L['x'].data_ptr() == 139875001", "x lies at the same place in memory", ""),
        ("___cow_tensor_matches(L['x'], False)", "whether x is a copy made lazily: False", ""),
        ("L['m'].training == True", "m is in training mode", "L['m'].training == True"),
        ("L['b'] is L['a']", "b and a are one and the same object", "L['b'] is L['a']"),
        ("__dtensor_spec_140217", "a distributed tensor is laid out in the same way", ""),
        ("___check_metadata_140217_c0/0(L['x'])",
         "what a tensor of a class of its own says about itself is the same", ""),
        ("L['s'] != ___get_current_stream(torch.device('cuda'))", "s != the current stream of torch.device('cuda')",
         ""),
        ("{k for k, v in L['m'].named_parameters()} == {'w'}", "the parameters of m are called {'w'}", ""),
    ],
)
def test_each_form_has_words_and_runs_where_it_can(code, words, run):
    guard = describe("", code, None, {})
    assert guard.words == words
    assert (guard.run if guard.runnable else "") == run


def test_a_form_that_is_not_known_says_what_its_type_checks():
    guard = describe("RANGE_ITERATOR_MATCH", "___some_new_helper(L['r'], 3)", None, {})
    assert guard.words == "___some_new_helper(r, 3)  (an iterator over a range is where it was)"
    assert not guard.runnable


@pytest.mark.parametrize("code", ["", "((", "L['a", "{}", "{0} {1}", "___x({0})", "not", "lambda: L['a']"])
def test_nothing_fails_on_what_is_unknown(code):
    guard = describe("A_TYPE_OF_TOMORROW", code, None, {})
    assert not guard.words or code.strip("() ")[:1] in guard.words


def test_numbers_of_this_run_are_not_shown():
    text = stable_guard_text("___dict_version(L['d']) == 1234567, L['x'].data_ptr() == 99, __dtensor_spec_140217")
    assert text == "___dict_version(L['d']) == <id>, L['x'].data_ptr() == <id>, __dtensor_spec_<id>"
