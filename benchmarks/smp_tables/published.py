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

COLUMNS = ("LSVM", "RF", "AB", "LR", "DT", "kNN", "RSVM", "GB", "QDA", "GP")
TABLE_1_OTHERS = {
    "sleuth_ex1714": (0.82, 0.83, 0.81, 0.83, 0.83, 0.82, 0.76, 0.82, 0.63, 0.80),
    "visualizing_environmental": (0.66, 0.65, 0.66, 0.65, 0.62, 0.57, 0.69, 0.64, 0.62, 0.65),
    "sleuth_ex2016": (0.71, 0.70, 0.70, 0.72, 0.65, 0.67, 0.72, 0.65, 0.62, 0.73),
    "sleuth_ex1605": (0.66, 0.70, 0.66, 0.70, 0.63, 0.66, 0.65, 0.65, 0.62, 0.72),
    "sleuth_case2002": (0.65, 0.59, 0.60, 0.64, 0.55, 0.63, 0.64, 0.60, 0.65, 0.62),
    "rmftsa_ctoarrivals": (0.75, 0.70, 0.74, 0.75, 0.69, 0.71, 0.74, 0.72, 0.76, 0.75),
    "rabe_266": (0.93, 0.90, 0.91, 0.92, 0.91, 0.92, 0.93, 0.90, 0.94, 0.95),
    "rabe_265": (0.58, 0.64, 0.60, 0.63, 0.54, 0.55, 0.62, 0.56, 0.61, 0.60),
    "rabe_148": (0.95, 0.94, 0.91, 0.95, 0.89, 0.92, 0.91, 0.91, 0.92, 0.95),
    "prnn_synth": (0.82, 0.84, 0.84, 0.83, 0.83, 0.83, 0.83, 0.84, 0.83, 0.84),
    "hutsof99_logis": (0.74, 0.69, 0.65, 0.73, 0.60, 0.66, 0.66, 0.67, 0.59, 0.70),
    "humandevel": (0.88, 0.86, 0.85, 0.89, 0.85, 0.87, 0.88, 0.86, 0.88, 0.88),
    "elusage": (0.90, 0.84, 0.84, 0.89, 0.84, 0.87, 0.89, 0.84, 0.90, 0.89),
    "baskball": (0.70, 0.65, 0.68, 0.71, 0.71, 0.63, 0.66, 0.69, 0.69, 0.68),
    "analcatdata_michiganacc": (0.72, 0.60, 0.71, 0.71, 0.67, 0.68, 0.71, 0.69, 0.72, 0.71),
    "analcatdata_election2000": (0.92, 0.91, 0.91, 0.92, 0.91, 0.92, 0.90, 0.92, 0.72, 0.92),
    "analcatdata_cyyoung9302": (0.80, 0.83, 0.83, 0.86, 0.75, 0.83, 0.84, 0.83, 0.83, 0.84),
    "bankruptcy": (0.84, 0.84, 0.82, 0.90, 0.80, 0.78, 0.89, 0.81, 0.78, 0.90),
    "analcatdata_asbestos": (0.65, 0.60, 0.60, 0.65, 0.60, 0.59, 0.56, 0.60, 0.65, 0.60),
    "MindCave2": (0.70, 0.65, 0.63, 0.72, 0.66, 0.64, 0.67, 0.69, 0.65, 0.71),
}
"""Accuracies of the other classifiers in the same table, in the order of ``COLUMNS``."""
