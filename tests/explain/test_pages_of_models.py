"""What the pages of whole models have shown: each case is a few lines of a dump of bert, gpt2 or whisper."""

from __future__ import annotations

import textwrap

from depyf.explain.for_reading.bookkeeping import fold
from depyf.explain.report.page.shortened import without_fetches


def text(source: str) -> str:
    return textwrap.dedent(source).strip("\n") + "\n"


def test_methods_of_builtin_classes_are_called_by_name() -> None:
    folded = fold(
        text(
            """
            def f(x):
                object_ = __import_builtins.object
                object_setattr, object_setattr_1 = object_.__setattr__, object_.__setattr__
                made = Box.__new__(Box)
                object_.__setattr__(made, 'loss', x)
                object_setattr_1(made, 'logits', None)
                del object_setattr_1
                object_setattr(made, 'cache', None)
                return made
            """
        ),
        known_names=frozenset({"x", "made"}),
    )
    assert folded.source == text(
        """
        def f(x):
            made = Box.__new__(Box)
            object.__setattr__(made, 'loss', x)
            object.__setattr__(made, 'logits', None)
            object.__setattr__(made, 'cache', None)
            return made
        """
    )
    assert "1 look-up of a builtin" in folded.describe()
    assert "names for a builtin's method" in folded.describe()


def test_methods_of_what_is_no_builtin_class_keep_their_names() -> None:
    source = text(
        """
        def f(x, list):
            tmp_1 = list.append
            tmp_2 = Box.append
            g(x)
            tmp_1(x, 1)
            tmp_2(x, 2)
        """
    )
    assert fold(source).source == source


def test_results_have_their_names_once_the_copies_are_gone() -> None:
    source = text(
        """
        def f(x):
            graph_out = __compiled_fn_1(x)
            made = Box()
            loss = graph_out[0]
            made.loss = graph_out[0]
            made.again = loss
            return made
        """
    )
    folded = fold(source, {"__compiled_fn_1": ["loss"]}, frozenset({"x", "made"}))
    assert "    (loss,) = __compiled_fn_1(x)\n" in folded.source
    assert "loss_" not in folded.source
    kept = fold(source, {"__compiled_fn_1": ["loss"]}, frozenset({"x", "made", "loss"}))
    assert "    (loss_,) = __compiled_fn_1(x)\n" in kept.source, "the program has a loss of its own"


def test_frame_lists_of_a_function_in_the_text() -> None:
    folded = fold(
        text(
            """
            def f(x):
                def __comprehension_f_at_3_1(__nested_resume_fns, __nested_frame_values, x, rows):
                    if False:
                        k = None
                    return {k: x for k in rows}

                def resumed(__nested_resume_fns, __nested_frame_values, x):
                    return __nested_frame_values

                found = __comprehension_f_at_3_1([], [], x, rows)
                del __comprehension_f_at_3_1
                return resumed([], [], found)
            """
        ),
        known_names=frozenset({"x"}),
    )
    assert folded.source == text(
        """
        def f(x):
            def __comprehension_f_at_3_1(x, rows):
                return {k: x for k in rows}

            def resumed(__nested_resume_fns, __nested_frame_values, x):
                return __nested_frame_values

            found = __comprehension_f_at_3_1(x, rows)
            return resumed([], [], found)
        """
    )


def test_declarations_that_change_what_a_name_means_stay() -> None:
    source = text(
        """
        def f(x):
            if False:
                y = None
            if False:
                yield
            return y
        """
    )
    assert fold(source).source == source


def test_calls_of_nothing() -> None:
    source = text(
        """
        def f(x):
            lambda_()
            lambda__1(x)
            return lambda_()
        """
    )
    expected = text(
        """
        def f(x):
            lambda__1(x)
            return lambda_()
        """
    )
    assert fold(source, idle=frozenset({"lambda_", "lambda__1"})).source == expected
    assert fold(source).source == source


def test_which_constants_do_nothing() -> None:
    from depyf.explain.report.page.sections import _does_nothing

    assert _does_nothing(lambda: None)
    assert not any(map(_does_nothing, [lambda: 1, lambda *args: None, lambda: print(), print, None]))


LAYERS = "".join(
    """\
    layer_{0} = modules['{0}']._modules
    query_{0} = layer_{0}['query']._parameters
    weight_{0}, bias_{0} = query_{0}['weight'], query_{0}['bias']
    bare_{0} = layer_{0}['embedding']._parameters['weight']
""".format(number)
    for number in range(30)
)


def test_every_fetched_parameter_is_counted() -> None:
    """Those that are read in one step from a dict of modules too, and the first where a line has an argument too."""
    body = "def f(self, kwargs):\n    ids, modules = kwargs['ids'], self._modules\n" + LAYERS
    shown = without_fetches(body + "    return g(ids, bare_29)\n")
    assert shown == text(
        """
        def f(self, kwargs):
            ids = kwargs['ids']
            # 90 parameters and buffers are fetched from the module: weight_0, bias_0, bare_0, weight_1, ... bare_29
            return g(ids, bare_29)
        """
    )


def test_a_module_that_is_read_later_is_named() -> None:
    body = "def f(self):\n    modules = self._modules\n" + LAYERS
    shown = without_fetches(body + "    del layer_3\n    return g(layer_7, bare_29)\n")
    words = " ".join(line.strip("# ") for line in shown.splitlines()[1:3])
    assert words.endswith("fetched from the module: weight_0, bias_0, bare_0, weight_1, ... bare_29; and layer_7")
    assert shown.splitlines()[3] == "    del layer_3"
