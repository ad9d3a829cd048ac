"""Curves of quality on held-out rows: ranking, calibration, the more and the less familiar half, abstention."""

from __future__ import annotations

from typing import TYPE_CHECKING

from proset.common.frames import with_index
from proset.common.words import measure, percent
from proset.explain.familiar.abstain import abstention
from proset.explain.familiar.familiar_halves import familiarity_halves
from proset.explain.judged.assessment import quality
from proset.plots.abstention import plot_abstention
from proset.plots.calibration import plot_calibration
from proset.plots.curves import plot_roc
from proset.report.document import Block, Picture, ReportTable

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

    from proset.study import DecisionRule, Study

_SIDE = 460
_MEASURES = {"log_loss": "log-loss", "roc_auc": "ROC-AUC", "balanced_accuracy": "balanced accuracy"}
_HALVES = {"overall": "all", "high": "more familiar half", "low": "less familiar half"}


def quality_blocks(study: Study, rule: DecisionRule) -> tuple[Block, ...]:
    """Draw how well classes are ranked, whether probabilities hold, and what familiarity says about errors.

    Parameters
    ----------
    study : Study
        A fitted study with held-out rows.

    Returns
    -------
    tuple of blocks

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> from proset.study.decision import MOST_PROBABLE
    >>> len(quality_blocks(fit_sample("iris_2f"), MOST_PROBABLE))
    4
    """
    found = quality(study, rule=rule)
    halves = familiarity_halves(study, rule=rule).to_frame()
    # As everywhere: what is nearly 1 is not called 1.
    spelled = {name: halves[name].map(measure) for name in ("log_loss", "roc_auc")}
    familiarity = study.predictions["familiarity"].reindex(study.split.held_out)
    familiar = bool(familiarity.max() > familiarity.min())  # else no row is more so than others
    left = [abstention(study, by=by, rule=rule) for by in (*(["familiarity"] if familiar else []), "confidence")]
    of_halves = ReportTable(
        with_index(halves.assign(**spelled).rename(columns=_MEASURES, index=_HALVES)),
        shares=("balanced accuracy", "accuracy"),
        caption="The more and the less familiar half of the held-out rows.",
    )
    return (
        _picture(
            plot_roc(found.curves), "ROC curves.", "ROC curves: each class against all others.", width=_SIDE + 120
        ),
        _picture(
            plot_calibration(found.calibration),
            "Stated probabilities against what was observed.",
            "Calibration: where the points lie on the dotted line, probabilities hold.",
            width=_SIDE + 120,
        ),
        *([of_halves] if familiar else []),
        _picture(
            plot_abstention(left),
            "Accuracy of the cases that are answered.",
            "Accuracy of the cases that are answered if some are left to a person, those first that are named.",
        ),
    )


def spelled(measures: pd.DataFrame) -> pd.DataFrame:
    """Write measures as pages do: shares in per cent, all others with three decimals.

    Parameters
    ----------
    measures : DataFrame
        From :func:`proset.explain.sheets.model_facts.quality_frame`.

    Examples
    --------
    >>> import pandas as pd
    >>> lines = pd.DataFrame({"measure": ["accuracy", "log-loss"], "model": [0.9474, 0.1474], "naive": [0.5, 0.7]})
    >>> spelled(lines)["model"].tolist()
    ['94.7 %', '0.147']
    """
    share = measures["measure"].isin(["balanced accuracy", "accuracy"])
    said = {name: measures[name].map(measure).where(~share, measures[name].map(percent)) for name in ("model", "naive")}
    return measures.assign(**said)


def _picture(figure: go.Figure, alt: str, said: str, *, width: int = 690) -> Picture:
    """Return a figure with what to know about it and what it leaves out."""
    return Picture(figure, alt, " ".join(filter(None, (said, figure.layout.meta))), width=width)
