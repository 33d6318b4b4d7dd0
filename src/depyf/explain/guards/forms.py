"""What each type of guard checks: in general, by Dynamo's name for it, and by the form of the expression it prints.

Types are the methods of Dynamo's `GuardBuilder` and the leaves of its guard trees, of torch 2.2 to 2.15. A type or a
form which is not here keeps Dynamo's expression as its words.
"""

from __future__ import annotations

import re
from typing import Pattern

__all__ = ["FORMS", "GUARD_TYPES", "words_by_form"]

GUARD_TYPES = {
    "AUTOGRAD_SAVED_TENSORS_HOOKS": "hooks on saved tensors are as they were",
    "BACKEND_MATCH": "the backend is the one it was compiled with",
    "BOOL_FALSE": "it is empty or false",
    "BOOL_MATCH": "it is the same truth value",
    "BUILTIN_MATCH": "it is the same builtin function",
    "CLASS_MATCH": "it is the same class",
    "CLOSURE_MATCH": "it is a function with the same code",
    "COMPLEX_IS_NAN": "it is a complex number that is not a number",
    "CONFIG_HASH_MATCH": "the settings of torch.compile are as they were",
    "CONSTANT_MATCH": "it is the same constant",
    "CONSTANT_SUBCLASS_MATCH": "it is the same constant, of a class derived from the constant's",
    "COUNT_ITERATOR_MATCH": "an itertools.count is where it was",
    "COW_TENSOR_MATCH": "a tensor is, or is not, a copy made lazily",
    "CURRENT_STREAM_MATCH": "the current stream of the device is the same",
    "DATA_PTR_MATCH": "a tensor lies at the same place in memory",
    "DEFAULT_DEVICE": "the default device is as it was",
    "DETERMINISTIC_ALGORITHMS": "the setting for deterministic algorithms is as it was",
    "DICT_CONST_KEYS": "a dict has the same keys",
    "DICT_CONTAINS": "a dict has, or does not have, a key",
    "DICT_KEYS": "a dict has the same keys",
    "DICT_KEYS_MATCH": "a dict has the same keys, in the same order",
    "DICT_LENGTH": "a dict has as many items",
    "DICT_NOT_CONTAINS": "a dict does not have a key",
    "DICT_VERSION": "nothing was put into a dict, or taken out",
    "DIMENSION_DYNAMIC_MARKING_GUARD": "the marks for dynamic dimensions of a tensor are as they were",
    "DISPATCH_KEY_SET_MATCH": "a set of dispatch keys is the same",
    "DTENSOR_SPEC_MATCH": "a distributed tensor is laid out in the same way",
    "DUAL_LEVEL": "the level of forward-mode differentiation is as it was",
    "DUAL_LEVEL_MATCH": "the level of forward-mode differentiation is as it was",
    "DUPLICATE_INPUT": "two inputs are one and the same object",
    "DYNAMIC_INDICES": "the marks for dynamic dimensions of a tensor are as they were",
    "EMPTY_NN_MODULE_HOOKS_DICT": "a module has no hooks",
    "EQUALS_MATCH": "it is equal to what it was",
    "FAKE_SCRIPT_TYPE_MATCH": "a script object is of the same class",
    "FALSE_MATCH": "it is False",
    "FLOAT_IS_NAN": "it is a float that is not a number",
    "FSDP_TRAINING_STATE": "the training state of FSDP is as it was",
    "FUNCTION_MATCH": "it is the same function",
    "FUNCTORCH_STACK_MATCH": "the transforms of torch.func around the call are the same",
    "GLOBAL_STATE": "grad mode, autocast, default dtype, determinism and threads are as they were",
    "GRAD_MODE": "grad mode is as it was",
    "HASATTR": "it has, or does not have, an attribute",
    "HAS_GRAPH_BREAK": "graph breaks are allowed: compiled without fullgraph",
    "ID_MATCH": "it is the same object",
    "LAMBDA_GUARD": "an expression holds",
    "LENGTH_CHECK": "it has as many items",
    "LIST_LENGTH": "it has as many items",
    "LIST_REVERSEITERATOR_LEN": "a reversed list has as many items left",
    "MAPPING_KEYS_CHECK": "a mapping has the same keys",
    "MAPPING_KEYS_MATCH": "a mapping has the same keys",
    "MODULE_MATCH": "it is the same module",
    "NAME_MATCH": "it has the same name",
    "NN_MODULE": "it is the same nn.Module, in the same mode",
    "NN_MODULE_PARAM_NAMES": "a module has parameters of the same names",
    "NONE_MATCH": "it is None",
    "NOT_NONE": "it is not None",
    "NOT_NONE_MATCH": "it is not None",
    "NOT_PRESENT_IN_GENERIC_DICT": "an object has no attribute of its own of that name",
    "NO_HASATTR": "it does not have an attribute",
    "NO_TENSOR_ALIASING": "tensors are different objects",
    "OBJECT_ALIASING": "two things are one and the same object",
    "OBJECT_MUTATION": "an object was not changed",
    "ODICT_KEYS": "an ordered dict has the same keys, in the same order",
    "OPAQUE_OBJ_GUARD_FN_MATCH": "the function that an opaque object gave for this purpose says it fits",
    "PYMODULE_MATCH": "it is the same module",
    "RANGE_ITERATOR_MATCH": "an iterator over a range is where it was",
    "SEQUENCE_LENGTH": "it has as many items",
    "SET_CONTAINS": "a set has, or does not have, an item",
    "SET_NOT_CONTAINS": "a set does not have an item",
    "SHAPE_ENV": "sizes of tensors fit what was assumed of them",
    "STORAGE_OVERLAPPING": "tensors overlap in memory as they did",
    "SYMBOLIC_SHAPE_GUARD": "sizes of tensors fit what was assumed of them",
    "TENSOR_ALIASING": "two tensors are one and the same object",
    "TENSOR_MATCH": "a tensor is of the same kind, shape and strides",
    "TENSOR_SUBCLASS_METADATA_MATCH": "what a tensor of a class of its own says about itself is the same",
    "TORCH_FUNCTION_MODE_STACK": "the same torch function modes are active",
    "TORCH_FUNCTION_STATE": "torch function overrides are on, or off, as they were",
    "TRUE_MATCH": "it is True",
    "TUPLE_ITERATOR_LEN": "an iterator over a tuple has as many items left",
    "TYPE_MATCH": "it is of exactly the same type",
    "WEAKREF_ALIVE": "an object that is only referred to weakly is still there",
}

# The form of the whole expression, its words, and an expression to run with nothing but L, G and torch at hand ("" for
# none). {0}, {1}, ... are the groups; in words in the user's spelling.
FORMS: list[tuple[Pattern[str], str, str]] = [
    (re.compile(pattern + "$"), words, run)
    for pattern, words, run in [
        (r"\(type\((.+)\) is float and __math_isnan\(\1\)\)", "{0} is a float that is not a number (nan)",
         "type({0}) is float and {0} != {0}"),
        (r"\(type\((.+)\) is complex and __numpy_isnan\(\1\)\)", "{0} is a complex number that is not a number (nan)",
         "type({0}) is complex and {0} != {0}"),
        (r"__math_isnan\((.+)\)", "{0} is not a number (nan)", "{0} != {0}"),
        (r"hasattr\((.+), ('\w+')\)", "{0} has an attribute {1}", "hasattr({0}, {1})"),
        (r"not hasattr\((.+), ('\w+')\)", "{0} has no attribute {1}", "not hasattr({0}, {1})"),
        (r"list\(dict\.keys\((.+)\)\)\[0\] == (.+)", "the first key of {0} is {1}", "list(dict.keys({0}))[0] == {1}"),
        (r"list\(dict\.keys\((.+)\)\)\[(\d+)\] == (.+)", "key {1} of {0}, counted from 0, is {2}",
         "list(dict.keys({0}))[{1}] == {2}"),
        (r"list\((?:dict\.keys\((.+)\)|(.+)\.keys\(\))\) == (\[.*\])", "the keys of {0}{1} are {2}, in this order", ""),
        (r"set\((.+)\.keys\(\)\) == (\{.*\}|set\(\))", "the keys of {0} are {1}", "set({0}.keys()) == {1}"),
        (r"str\((.+)\.keys\(\)\) == (.*)", "the keys of {0} are, in order, {1}", "str({0}.keys()) == {1}"),
        (r"___dict_const_keys\((.+)\) == (.*)", "the constant keys of {0} are {1}", ""),
        (r"___dict_param_key_ids\((.+)\) == .*", "the parameters that are keys of {0} are the same", ""),
        (r"___dict_version\((.+)\) == \d+", "nothing was put into {0}, or taken out", ""),
        (r"\{k for k, v in (.+)\.named_parameters\(\)\} == (\{.*\}|set\(\))", "the parameters of {0} are called {1}",
         ""),
        (r"(.+)\.data_ptr\(\) == \d+", "{0} lies at the same place in memory", ""),
        (r"___normalize_range_iter\((.+)\) == \((.*)\)", "{0} is an iterator over a range: start, stop, step are {1}",
         ""),
        (r"___normalize_count_iter\((.+)\) == \((.*)\)", "{0} is an itertools.count: next, step are {1}", ""),
        (r"___list_reverseiterator_len\((.+)\) == (\d+)", "{0}, a reversed list, has {1} items left", ""),
        (r"(?:frozen)?set\.__len__\((.+)\) == (\d+)", "{0} has {1} items", "len({0}) == {1}"),
        (r"___check_fake_script_type\((.+), (?:\d+|<id>)\).*", "{0} is a script object of the same class", ""),
        (r"___cow_tensor_matches\((.+), (\w+)\)", "whether {0} is a copy made lazily: {1}", ""),
        (r"(.+)\.raw_repr\(\) == .*", "the set of dispatch keys {0} is the same", ""),
        (r"(.+) (==|!=) ___get_current_stream\((.*)\)", "{0} {1} the current stream of {2}", ""),
        (r"__dtensor_spec_.*", "a distributed tensor is laid out in the same way", ""),
        (r"___check_metadata_.*", "what a tensor of a class of its own says about itself is the same", ""),
        (r"___check_opaque_guard_fn_.*", "an opaque object says that it fits", ""),
        (r"(.+)\.training == True", "{0} is in training mode", "{0}.training == True"),
        (r"(.+)\.training == False", "{0} is in evaluation mode", "{0}.training == False"),
        (r"(.+)\.__name__ == ('\w+')", "{0} is called {1}", "{0}.__name__ == {1}"),
        (r"check_overlapping\(overlapping=\[\], non_overlapping=\[(.*)\]\)", "{0} do not overlap in memory", ""),
        (r"check_overlapping\(overlapping=\[(.*)\], non_overlapping=\[\]\)", "{0} overlap in memory", ""),
        (r"check_overlapping\(overlapping=\[(.*)\], non_overlapping=\[(.*)\]\)",
         "{0} overlap in memory, {1} do not", ""),
        (r"([LG]\[[^()]+) is ([LG]\[[^()]+)", "{0} and {1} are one and the same object", "{0} is {1}"),
    ]
]


def words_by_form(code: str) -> tuple[str, str, list[str]] | None:
    """The words and the expression to run of a guard's expression, both with places for the groups, and the groups;
    None when no form fits."""
    for form, words, run in FORMS:
        match = form.match(code)
        if match is not None:
            return words, run, [group or "" for group in match.groups()]
    return None
