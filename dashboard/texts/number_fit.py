"""Settings of a search for a model of a number, and its measures, as the Fit page shows them."""

from __future__ import annotations

SEARCH = {
    "n_trials": ("Settings tried", "How many sets of penalties and least spreads are compared, the usual ones first."),
    "n_folds": (
        "Folds",
        "Into how many parts the training rows are divided; every setting is fitted once without each part and measured"
        " on it; split by time, it is fitted to the rows before the part. More folds measure better and take longer.",
    ),
    "max_batches": ("Most batches", "The largest number of batches that is tried; every number up to it is measured."),
    "n_joined": (
        "Joined fits in the end",
        "How many fits with the best settings, each with candidates of its own, are joined to one model: better"
        " distributions, for so many times the work. Only the last look at the best settings joins them, and takes out"
        " prototypes that say next to nothing.",
    ),
    "drop_columns": (
        "Leave out idle columns",
        "Each column is shuffled among rows that the best settings have not seen. Where that changes nothing, the model"
        " does without the column, unless the folds are worse without it.",
    ),
    "bend_target": (
        "Try the target bent",
        "Where the target has a long tail, prices say, the folds are also asked what they make of it once the tail is"
        " drawn in, much like by a logarithm. It is taken so if that is clearly better. All answers stay in its units.",
    ),
    "max_rows": ("Rows per batch inside the folds", "At most so many training rows; leave it empty for all."),
    "random_state": ("Seed of the search", "Draws folds and candidates: the same seed, the same search."),
}
TYPICAL = "Of the mean of the distribution: large errors count most."
MIDDLE = "Mean distance between the median and the actual number."
COVERED = "Share of the actual numbers that lie in the interval of 90 %; nine of ten is what it promises."
CRPS = "Mean CRPS, in units of the target: how far the whole distribution is from the truth. For a forecast that is"
CRPS += " sure of one number it is the distance."
LOG_SCORE = (
    "Mean of minus the logarithm of the density at the actual number: less is better, and it depends on the unit."
)
NOTHING = "The model has no prototype, so it says of every case what it says of everybody."
WEIGHTS = (
    "The longer a bar, the less near is a case that differs in the column, by a standard deviation of a number or from "
    "one level of a category to another. A column with a short bar may still move the answer much."
)
EVERYBODY = "As everybody: the distribution of all training rows, smoothed, for every case."
STEPS = "What a step in a column changes"
