"""What the paper reports in its table 1."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Published:
    """One row of the table.

    Attributes
    ----------
    accuracy, sd : float
        Of the sparse multi-prototype classifier, over five splits; the paper does not say what the second one is.
    best : float
        Highest accuracy among the other classifiers.
    best_names : str
        Which they are: LR logistic regression, LSVM and RSVM support vector machines with a linear and a Gaussian
        kernel, QDA, GP Gaussian process, DT tree, RF forest, AB and GB boosting.
    """

    accuracy: float
    sd: float
    best: float
    best_names: str


TABLE_1 = {
    "sleuth_ex1714": Published(0.87, 0.06, 0.83, "RF, LR, DT"),
    "visualizing_environmental": Published(0.70, 0.03, 0.69, "RSVM"),
    "sleuth_ex2016": Published(0.74, 0.02, 0.73, "GP"),
    "sleuth_ex1605": Published(0.70, 0.06, 0.72, "GP"),
    "sleuth_case2002": Published(0.68, 0.06, 0.65, "LSVM, QDA"),
    "rmftsa_ctoarrivals": Published(0.76, 0.02, 0.76, "QDA"),
    "rabe_266": Published(0.94, 0.04, 0.95, "GP"),
    "rabe_265": Published(0.64, 0.06, 0.64, "RF"),
    "rabe_148": Published(0.96, 0.02, 0.95, "LSVM, LR, GP"),
    "prnn_synth": Published(0.85, 0.02, 0.84, "RF, AB, GB, GP"),
    "hutsof99_logis": Published(0.77, 0.04, 0.74, "LSVM"),
    "humandevel": Published(0.89, 0.04, 0.89, "LR"),
    "elusage": Published(0.92, 0.04, 0.90, "LSVM, QDA"),
    "baskball": Published(0.71, 0.03, 0.71, "LR, DT"),
    "analcatdata_michiganacc": Published(0.73, 0.05, 0.72, "LSVM, QDA"),
    "analcatdata_election2000": Published(0.93, 0.02, 0.92, "several"),
    "analcatdata_cyyoung9302": Published(0.87, 0.04, 0.86, "LR"),
    "bankruptcy": Published(0.95, 0.02, 0.90, "LR, GP"),
    "analcatdata_asbestos": Published(0.68, 0.06, 0.65, "LSVM, LR, QDA"),
    "MindCave2": Published(0.73, 0.06, 0.72, "LR"),
}
