"""Words below the figure of what values say: of which columns the model looks at what is drawn."""

from __future__ import annotations

from types import SimpleNamespace

from dashboard.components.features.figures import looked_at
from dashboard.texts import features as text


def found(**used):
    return SimpleNamespace(features=[SimpleNamespace(name=name, used=one) for name, one in used.items()])


def test_the_columns_whose_weights_the_model_looks_at_are_named_where_these_are_some():
    assert looked_at(found(age=True, sex=True)) == text.VALUES_SEEN
    assert looked_at(found(age=False, sex=False)) == text.VALUES_UNSEEN
    assert "weights of 'age', 'dose';" in looked_at(found(age=True, sex=False, dose=True))
