"""Facts about a model: data, roles, split, settings and versions as lines that can be checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import pandas as pd

from proset.common.notebook import Displayed
from proset.common.words import count_words, listed, percent
from proset.data.issues import Role
from proset.data.levels import LevelEncoder
from proset.data.reading.dialect import MissingWord
from proset.explain.structure.features import named
from proset.selection import is_quick
from proset.study import NumberSettings, Study, learned_words, search_words
from proset.study.any_study import AnyStudy
from proset.study.decision import MOST_PROBABLE, DecisionRule
from proset.study.judging import judge_model
from proset.study.risks import ignored_risks

_ROLE_WORDS = {
    Role.IDENTIFIER: "names the rows",
    Role.TARGET: "predicted",
    Role.EXTRA: "kept for display",
    Role.TEXT: "kept for display",
}


@dataclass(frozen=True, eq=False)
class ModelFacts(Displayed):
    """The facts.

    Attributes
    ----------
    data, settings, made : tuple of (str, object)
        Name and value of each fact about the table, the hyperparameters, and the making of the model.
    classes : DataFrame
        Index ``class``; columns ``training rows``, ``held-out rows`` and ``share`` (of the training rows).
    columns : DataFrame
        Index ``column``, all columns of the table with a role; columns ``role`` and ``in the model``.
    """

    data: tuple[tuple[str, Any], ...]
    settings: tuple[tuple[str, Any], ...]
    made: tuple[tuple[str, Any], ...]
    classes: pd.DataFrame
    columns: pd.DataFrame

    @property
    def roles(self) -> tuple[tuple[str, str], ...]:
        """The columns by role and by whether they are used: few lines, however many columns there are."""
        lines = self.columns["role"] + ", " + self.columns["in the model"]
        return tuple((line, named(lines.index[lines == line])) for line in dict.fromkeys(lines.tolist()))

    def to_frame(self) -> pd.DataFrame:
        """Return all facts as lines: ``about``, ``fact``, ``value``."""
        parts = {"data": self.data, "settings": self.settings, "made": self.made}
        lines = [(about, fact, value) for about, facts in parts.items() for fact, value in facts]
        return pd.DataFrame(lines, columns=["about", "fact", "value"], dtype=object)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain Python values."""
        return {
            "data": dict(self.data),
            "settings": dict(self.settings),
            "made": dict(self.made),
            "classes": self.classes.to_dict("index"),
            "columns": self.columns.to_dict("index"),
        }


def model_facts(study: Study) -> ModelFacts:
    """Return what a model was made of, so that somebody else can tell whether it is the same.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> facts = model_facts(fit_sample("iris_2f"))
    >>> dict(facts.data)["rows"], facts.columns.loc["species", "role"], facts.classes["training rows"].tolist()
    (150, 'target', [35, 35, 35])
    """
    return ModelFacts(
        data_facts(study), settings_facts(study), made_facts(study), _classes(study), columns_frame(study)
    )


def data_facts(study: AnyStudy) -> tuple[tuple[str, Any], ...]:
    """Return the facts about the table."""
    rows, columns = study.table.frame.shape
    missing = study.table.dialect.missing
    target = study.roles.target
    facts: list[tuple[str, Any]] = [
        ("table", study.table.name),
        ("rows", rows),
        ("columns", columns),
        ("SHA-256 of the file", study.table.fingerprint),
        ("target", target),
    ]
    if missing:
        facts.append(("words that mean missing", _where_missing(missing)))
    if units := study.table.dialect.units:
        facts.append(("units beside numbers", "; ".join(f"'{one.text}' in {one.column}" for one in units)))
    if study.table.derived:
        facts.append(("columns that were added", ", ".join(entry.name for entry in study.table.derived)))
    return (*facts, ("split", learned_words(study)))


def _where_missing(words: Sequence[MissingWord]) -> str:
    """Say which words mean missing, and in which columns."""
    columns: dict[str, list[str]] = {}
    for word in words:
        columns.setdefault(word.text, []).extend([] if word.column is None else [word.column])
    parts = [f"'{text}' in {', '.join(where) if where else 'all columns'}" for text, where in columns.items()]
    return "; ".join(parts)


def settings_facts(study: AnyStudy) -> tuple[tuple[str, Any], ...]:
    """Return the hyperparameters, and where they are from."""
    if study.search is None:
        source = "stated: nothing was searched for this fit"
    else:
        source = f"{'a quick choice' if is_quick(study.search.plan) else 'a search'}: {search_words(study.search)}"
    if isinstance(study.settings, NumberSettings):  # a classifier's settings that it does not have stay unsaid
        known = {**study.settings.for_model, "scale": study.settings.scale}
    else:
        known = asdict(study.settings)
    stated = {name: "all" if value is None else value for name, value in known.items()}
    return (("chosen by", source), *stated.items())


def made_facts(study: AnyStudy) -> tuple[tuple[str, Any], ...]:
    """Return when, with what and how the model was made."""
    made = study.provenance
    solver = [(f"batch {one.batch}, solver", one.solver.message) for one in study.model.batch_results_]
    versions = [(f"version of {name}", number) for name, number in made.versions.items()]
    return (
        ("model", study.id),
        ("prototypes", len(study.prototypes)),
        ("features in use", len(study.used_columns)),
        *solver,
        ("seed of the fit", made.seed),
        ("made", f"{made.created.replace('T', ' ').removesuffix('+00:00')} UTC"),
        ("seconds", made.fit_seconds),
        ("version of proset", made.proset_version),
        *versions,
        *made.machine.items(),
    )


def _classes(study: Study) -> pd.DataFrame:
    """Return how often each class occurs."""
    counts = {
        name: study.labels.reindex(rows).value_counts().reindex(study.classes, fill_value=0).to_numpy()
        for name, rows in (("training rows", study.split.train), ("held-out rows", study.split.held_out))
    }
    frame = pd.DataFrame(counts, index=pd.Index(study.classes, dtype="str", name="class"))
    return frame.assign(share=frame["training rows"] / frame["training rows"].sum())


def columns_frame(study: AnyStudy) -> pd.DataFrame:
    """Return what each column is for."""
    used, lines = set(study.used_columns), {}
    for name in study.table.frame.columns:
        role = study.roles.by_column.get(name)
        if role is None:
            continue
        said = _ROLE_WORDS.get(role, "used" if name in used else "not used")
        lines[name] = (str(role), said)
    index = pd.Index(list(lines), dtype="str", name="column")
    return pd.DataFrame(list(lines.values()), index=index, columns=["role", "in the model"])


def filled_words(study: AnyStudy) -> str:
    """Say how missing values of the columns in use are filled, and where they count as a value of their own.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> filled_words(fit_sample("iris_2f")).partition(":")[2]
    ' numbers with the median of the training rows.'
    """
    used = [name for name in study.used_columns if name in study.table.frame]
    missing = study.table.frame[used].isna().sum()
    encoders = {name: study.design.encoder(name) for name in used}
    own = [name for name, encoder in encoders.items() if isinstance(encoder, LevelEncoder) and encoder.missing]
    levels = [name for name, encoder in encoders.items() if isinstance(encoder, LevelEncoder) and name not in own]
    numbers = [name for name in used if name not in own and name not in levels]
    ways = (("numbers", numbers, "with the median"), ("categories", levels, "with the most frequent value"))
    if not missing.any():
        how = ", ".join(f"{what} {way}" for what, names, way in ways if names)
        later = f" In new rows they are filled: {how} of the training rows." if how else ""
        return f"No value is missing in the columns that the model uses.{later}"
    counted = {name: f"{name} ({count:,})" for name, count in missing[missing > 0].items()}
    parts = [
        f"{named(counted[name] for name in names if name in counted)} {way}"
        for _, names, way in ways
        if not counted.keys().isdisjoint(names)
    ]
    filled = f"Missing values are filled: {'; '.join(parts)} of the training rows." if parts else ""
    kept = [counted[name] for name in own if name in counted]
    said = f"Missing counts as a value of its own: {named(kept)}." if kept else ""
    return " ".join(filter(None, (filled, said)))


def quality_frame(study: Study, rule: DecisionRule = MOST_PROBABLE) -> pd.DataFrame:
    """Return the measures on held-out rows beside the naive model.

    Parameters
    ----------
    rule : DecisionRule
        How cases are decided; those left to a person count in neither accuracy.

    Returns
    -------
    DataFrame
        Columns ``measure``, ``model``, ``naive``, ``how to read it``.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> quality_frame(fit_sample("iris_2f"))["measure"].tolist()
    ['log-loss', 'ROC-AUC', 'balanced accuracy', 'accuracy']
    """
    one, verdict = study.metrics, judge_model(study, rule)
    decided = f"of {count_words(verdict.n_decided, 'held-out row')}"
    if verdict.n_decided < verdict.n_rows:
        decided += f"; {count_words(verdict.n_rows - verdict.n_decided, 'more row')} left to a person"
    lines = [
        ("log-loss", one.log_loss, one.naive_log_loss, "smaller is better, 0 is perfect"),
        ("ROC-AUC", one.roc_auc, 0.5, "0.5 is guessing, 1 is perfect"),
        ("balanced accuracy", verdict.balanced_accuracy, one.naive_balanced_accuracy, "mean over the classes"),
        ("accuracy", verdict.accuracy, verdict.naive_accuracy, f"share of right answers {decided}"),
    ]
    return pd.DataFrame(lines, columns=["measure", "model", "naive", "how to read it"])


def limits(study: Study) -> tuple[str, ...]:
    """Say what a model cannot tell, from what it was made of.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> limits(fit_sample("iris_2f"))[0][:52]
    'The measures come from 45 held-out rows of this tabl'
    """
    rows, said = study.metrics.n_rows, []
    if rows == 0:
        said.append("No rows were held out, so nothing is known about quality on rows the model has not seen.")
    else:
        said.append(
            f"The measures come from {count_words(rows, 'held-out row')} of this table."
            " On rows from elsewhere or from later the model may be worse."
        )
    absent = study.metrics.absent_classes
    if rows and absent:
        said.append(f"No held-out row is of class {listed(absent)}.")
    rare = [name for name, count in _classes(study)["training rows"].items() if count < 20]
    if rare:
        said.append(f"Fewer than 20 training rows are of class {listed(rare)}.")
    said += [f"Found in the table and left as it is: {issue.message}" for issue in ignored_risks(study)]
    if not study.split.settings.by_time:
        said.append(
            "Rows were held out by chance. If later rows differ from earlier ones, this does not show in the measures."
        )
    unused = len(study.roles.features) - len(study.used_columns)
    if unused:
        said.append(
            f"The model does without {count_words(unused, 'feature')}: an odd value there changes no estimate,"
            " and does not make a case look unfamiliar."
        )
    said.append("A weight says what the model looks at. It does not say what causes the outcome.")
    largest = float(_classes(study)["share"].max())
    said.append(
        "Where no prototype is near, estimates go back to the class shares of the training rows, of which the largest"
        f" is {percent(largest)}."
    )
    return tuple(said)
