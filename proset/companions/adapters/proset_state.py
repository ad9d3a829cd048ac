"""A prototype set classifier of the companions as JSON values and arrays."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

from proset.common.errors import StorageError
from proset.companions.protocol import FloatArray
from proset.companions.shared import PrototypeModelMixin
from proset.engine import saved_form
from proset.engine.class_order import encoder_of
from proset.engine.model import ClassifierModel

_PREFIX = "model_"


class ProsetStateMixin(PrototypeModelMixin):
    """Writes and reads what the adapter adds, and the classifier in the form that studies have on disk."""

    _state: ClassVar[tuple[str, ...]] = ("classes_", "n_features_in_", "prototype_rows_", "center_", "scale_")
    model_: ClassifierModel
    prototype_rows_: FloatArray
    center_: FloatArray
    scale_: FloatArray

    def to_dict(self) -> dict[str, Any]:
        """Return JSON values under "meta" and arrays of plain numbers under "arrays"."""
        state = super().to_dict()
        named = copy.copy(self.model_)
        named.label_encoder_ = encoder_of([str(number) for number in range(len(self.classes_))])
        named.classes_ = named.label_encoder_.classes_
        try:
            meta, arrays = saved_form.write(named)
        except ValueError as error:
            raise StorageError(f"This {type(self).__name__} cannot be written. {error}") from error
        state["meta"]["model"] = meta
        state["arrays"] |= {_PREFIX + name: array for name, array in arrays.items()}
        return state

    @classmethod
    def from_dict(cls, state: Mapping[str, Any]) -> Self:
        """Make a model again from what :meth:`to_dict` returned.

        Raises
        ------
        StorageError
            If something is missing, unknown or does not fit.
        """
        meta, arrays = (state.get(name) for name in ("meta", "arrays")) if isinstance(state, Mapping) else (None, None)
        if not isinstance(meta, Mapping) or not isinstance(arrays, Mapping):
            raise StorageError(f"This is not a saved {cls.__name__}.", hint="Pass what to_dict returned.")
        inner = {str(name).removeprefix(_PREFIX): a for name, a in arrays.items() if str(name).startswith(_PREFIX)}
        own = {name: array for name, array in arrays.items() if not str(name).startswith(_PREFIX)}
        made = super().from_dict({"meta": {name: meta[name] for name in meta if name != "model"}, "arrays": own})
        made.model_ = saved_form.read(meta.get("model") or {}, inner)
        made._check_parts()
        return made

    def _check_parts(self) -> None:
        """Refuse parts that do not fit each other."""
        manager, n_features = self.model_.set_manager_, self.n_features_in_
        for name, shape in (
            ("prototype_rows_", (manager.get_num_prototypes(), n_features)),
            ("center_", (n_features,)),
            ("scale_", (n_features,)),
        ):
            array = getattr(self, name)
            if not isinstance(array, np.ndarray) or array.shape != shape or not np.isfinite(array).all():
                raise StorageError(f"The saved array '{name}' has to hold finite numbers in the shape {shape}.")
        if (
            n_features != manager.num_features
            or len(self.classes_) != manager.num_classes
            or (self.scale_ <= 0.0).any()
        ):
            raise StorageError("The parts of this saved model do not fit each other.")
