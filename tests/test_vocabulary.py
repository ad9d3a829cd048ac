"""One word for one thing: what parameters of the public interface are called."""

import inspect
from importlib import import_module

import pytest

PACKAGES = (
    "proset",
    "proset.companions",
    "proset.compare",
    "proset.explain",
    "proset.plots",
    "proset.selection",
    "proset.study",
)
INSTEAD = {
    "seed": "random_state",
    "seeds": "random_states",
    "rng": "random_state",
    "labels": "y",
    "of": "class_name",
    "k": "n_...",
    "top": "n_...",
    "most": "n_...",
    "at_most": "n_...",
    "count": "n_...",
    "number_of": "n_...",
    "how_many": "n_...",
    "fixed": "reference",
    "study_or_model": "explained",
    "class_labels": "classes",
}
"""What a parameter is not called, and what instead."""

QUEUES = ("review_queue", "number_review_queue")
SLICES = {"find_error_slices", "quality_by", "slice_rows"}

PAIRS = (
    ("case", "changes"),
    ("case", "y"),
    ("case", "other"),
    ("case", "reference"),
    ("cases", "y"),
    ("cases", "reference"),
)


def public_callables():
    """Yield what a caller passes parameters to: functions, constructors of estimators and plans, their methods."""
    for package in PACKAGES:
        module = import_module(package)
        for name in module.__all__:
            found = getattr(module, name)
            if inspect.isfunction(found):
                yield f"{package}.{name}", found
            if not inspect.isclass(found) or not found.__module__.startswith("proset."):
                continue
            if hasattr(found, "get_params") or name.endswith(("Plan", "Settings")):
                yield f"{package}.{name}", found
            own = (kind for kind in found.__mro__ if kind.__module__.startswith("proset."))
            for method, value in ((n, v) for kind in own for n, v in vars(kind).items() if not n.startswith("_")):
                function = getattr(value, "__func__", value)
                if inspect.isfunction(function):
                    yield f"{package}.{name}.{method}", function


def test_parameters_have_the_words_that_all_others_have():
    odd = {
        f"{where}({name}): {INSTEAD[name]}"
        for where, function in public_callables()
        for name in inspect.signature(function).parameters
        if name in INSTEAD
    }
    assert not odd


@pytest.mark.parametrize("name", import_module("proset.explain").__all__)
def test_explanations_begin_alike(name):
    """What is explained comes first, then one case or several, then their classes; all else has a name."""
    if name in {"standing_words", "map_agreement", "Evidence"}:  # made of numbers, a map, a case
        return
    parameters = list(inspect.signature(getattr(import_module("proset.explain"), name)).parameters.values())
    assert parameters[0].name == (
        "study" if name in {"stability", "label_errors", "wrong_numbers", *QUEUES, *SLICES} else "explained"
    )
    positional = [one.name for one in parameters[1:] if one.kind is one.POSITIONAL_OR_KEYWORD]
    which = [
        word for word in positional if word not in {"batch", "row", "unseen", "by", "chosen"}
    ]  # of a batch, a prototype in it, of folds, groups and a slice
    assert which in ([], ["case"], ["cases"], *([one, two] for one, two in PAIRS))


def test_a_point_is_a_reference_and_rows_to_compare_with_are_held_out():
    for where, function in public_callables():
        annotation = inspect.signature(function).parameters.get("reference")
        assert annotation is None or "ArrayLike" not in str(annotation.annotation), where
