"""What J. Bien and R. Tibshirani report in Classification by Set Cover: The Prototype Vector Machine (2009)."""

from __future__ import annotations

# Error in per cent and number of prototypes on one split of each table.
TABLE_2: dict[str, dict[str, tuple[float, int]]] = {
    "Diabetes": {"1-NN": (28.9, 512), "PVM": (24.2, 12), "K-medoids": (33.2, 44), "LVQ": (25.0, 29)},
    "Glass": {"1-NN": (38.0, 143), "PVM": (36.6, 34), "K-medoids": (39.4, 12), "LVQ": (35.2, 17)},
    "Heart": {"1-NN": (21.1, 180), "PVM": (21.1, 6), "K-medoids": (17.8, 26), "LVQ": (15.6, 12)},
    "Liver": {"1-NN": (41.7, 230), "PVM": (41.7, 16), "K-medoids": (40.0, 20), "LVQ": (33.9, 110)},
    "Vowel": {"1-NN": (2.8, 352), "PVM": (2.8, 352), "K-medoids": (2.8, 198), "LVQ": (19.9, 193)},
    "Wine": {"1-NN": (3.4, 119), "PVM": (11.9, 4), "K-medoids": (6.8, 12), "LVQ": (3.4, 3)},
}

# The digits with tangent distance.
NEAREST_ERROR = 3.09
LOWEST_ERROR = 2.49
N_PROTOTYPES = 3372
PER_CLASS = (493, 7, 661, 551, 324, 486, 217, 101, 378, 154)
FIRST = {"class": 1, "covers": 986, "miscovers": 4}
GAIN_ABOVE_1 = 458
ONLY_THEMSELVES = 2914
DEAR = {"n_prototypes": 88, "wrong_then_right": 276}
