"""The settings of a fit and of a search, as the Fit page shows them."""

from __future__ import annotations

from dataclasses import dataclass

from proset.study.settings import BOUNDS, Bounds


@dataclass(frozen=True)
class Hyperparameter:
    """One setting of the fit, as the page shows it.

    Attributes
    ----------
    name : str
        Name in :class:`~proset.study.settings.FitSettings`.
    label : str
        What the page calls it.
    help : str
        One sentence on what it does.
    """

    name: str
    label: str
    help: str

    @property
    def bounds(self) -> Bounds:
        """Values on offer."""
        return BOUNDS[self.name]


HYPERPARAMETERS: dict[str, Hyperparameter] = {
    item.name: item
    for item in (
        Hyperparameter(
            "n_iter",
            "Batches",
            "How many groups of prototypes are added one after another: one is usually enough, more can follow finer "
            "patterns and take longer, with 0 there is no prototype.",
        ),
        Hyperparameter(
            "n_joined",
            "Joined fits",
            "How many fits, each with candidates of its own, put their votes together as one model, each vote divided "
            "by their number: a fit takes so many times as long, and finds so many times the prototypes, unless they "
            "are limited or thinned.",
        ),
        Hyperparameter(
            "num_candidates",
            "Candidates per batch",
            "How many training rows are tried as prototypes in each batch: more can find better ones, at the price of "
            "time.",
        ),
        Hyperparameter(
            "max_fraction",
            "Largest share of candidates",
            "The largest share of the rows of one kind that may be tried as prototypes; the remaining rows are needed "
            "to judge them.",
        ),
        Hyperparameter(
            "lambda_v",
            "Feature penalty (lambda_v)",
            "How strongly the model is pressed to use few features and smooth borders: more keeps it from learning "
            "noise, less lets it follow finer patterns. A search finds a good value.",
        ),
        Hyperparameter(
            "lambda_w",
            "Prototype penalty (lambda_w)",
            "How strongly the model is pressed to give prototypes small weights and keep few of them: it matters much "
            "less than the feature penalty.",
        ),
        Hyperparameter(
            "alpha_v",
            "Share of squared penalty, features (alpha_v)",
            "How the feature penalty is split: near 1 it shrinks large weights, near 0 it presses all of them to zero "
            "alike.",
        ),
        Hyperparameter(
            "alpha_w",
            "Share of squared penalty, prototypes (alpha_w)",
            "How the prototype penalty is split: near 1 it shrinks large weights of prototypes, near 0 it presses all "
            "of them to zero alike.",
        ),
        Hyperparameter(
            "lambda_beta",
            "Slope penalty (lambda_beta)",
            "How strongly prototypes are pressed to say their own number: less lets them adjust it more for what tells "
            "a case from them. A search finds a good value.",
        ),
        Hyperparameter(
            "own_slopes",
            "Own slopes",
            "How far each prototype may adjust its number in its own way, beside what is common to its batch: 0 leaves "
            "all alike, 1 lets few similar rows decide.",
        ),
        Hyperparameter(
            "lambda_h",
            "Spread penalty (lambda_h)",
            "How strongly prototypes of a batch are pressed to be equally sure of what they say.",
        ),
        Hyperparameter(
            "min_spread",
            "Least spread",
            "No prototype is surer than this, in standard deviations of the target: it keeps a fit from promising more "
            "than the data bears. A search finds a good value.",
        ),
        Hyperparameter(
            "spread_factor",
            "Spread factor",
            "What the spreads of all prototypes are multiplied with in the end: less than 1 makes intervals shorter. A "
            "search finds a good value.",
        ),
        Hyperparameter(
            "alpha_beta",
            "Share of squared penalty, slopes (alpha_beta)",
            "How the slope penalty is split: near 1 it shrinks large slopes, near 0 it presses all of them to zero "
            "alike.",
        ),
        Hyperparameter(
            "max_prototypes",
            "Most prototypes",
            "The most prototypes that are left in the end, when those that are missed least are taken out: what that "
            "costs stands below the result. Leave it empty for no limit.",
        ),
        Hyperparameter(
            "correction",
            "Correction",
            "How far the weights of all prototypes are fitted to the training rows once more, together: at 0 each "
            "batch stays as it was fitted, at 1 all are fitted anew, which small noisy tables do not bear. A search "
            "finds a good value.",
        ),
        Hyperparameter(
            "thinning",
            "Thinning",
            "The share of what the model knows that may be given up for fewer prototypes: 0 keeps all of them. A "
            "search finds how much costs next to nothing.",
        ),
        Hyperparameter(
            "solver_factr",
            "Solver tolerance (factr)",
            "When the search for weights may stop: a larger value stops earlier and keeps a few more prototypes.",
        ),
        Hyperparameter(
            "random_state",
            "Seed of the fit",
            "Starting point of the random choice of candidates: the same seed gives the same model.",
        ),
        Hyperparameter(
            "max_samples",
            "Rows to learn from",
            "The largest number of training rows used for each batch, drawn anew: leave "
            "it empty to use all, set it if a large table takes too long.",
        ),
    )
}


SCALE = Hyperparameter(
    "scale",
    "Scale of numbers",
    "What counts as far apart in a column of numbers: on a squashed or a quantile scale a few very large values do not "
    "set the measure for all others; with evidence, values are near that say the same of the classes as well. Pages "
    "show every value as the table has it.",
)
BEND = Hyperparameter(
    "bend_target",
    "Bend the target",
    "For a target with a long tail, prices say: the tail is drawn in, much like by a logarithm, so that what is added "
    "for a difference grows with the number. Answers stay in units of the target. A quick fit or a search asks its "
    "folds.",
)
SETTING_NAMES = {name: item.label for name, item in HYPERPARAMETERS.items()} | {
    "scale": SCALE.label,
    "bend_target": BEND.label,
    "weight_factor": "Weight factor",
    "backend": "Backend",
}
"""Each field of the settings of a fit, as pages call it."""
SCALE_OF_NUMBER = (
    "What counts as far apart in a column of numbers: on a squashed or a quantile scale a few very large values do not "
    "set the measure for all others. A search compares the scales on its folds, unless one is named. Pages show every "
    "value as the table has it."
)
SCALES = {
    "choose": "what the folds prefer",
    "standard": "standard: by standard deviation",
    "squashed": "squashed: like a logarithm far out",
    "quantile": "quantile: by rank",
    "evidence": "evidence: what values say of the classes",
}


@dataclass(frozen=True)
class SearchText:
    """One setting of the search, as the page shows it.

    Attributes
    ----------
    label : str
        What the page calls it.
    help : str
        One or two sentences on what it does.
    """

    label: str
    help: str


SEARCH_TEXTS: dict[str, SearchText] = {
    "penalties": SearchText(
        "What to compare",
        "The feature penalty matters most, so comparing only that is usually enough. Pairs cover both penalties and "
        "take four to five times as long. A penalty that is not compared keeps its value under Advanced.",
    ),
    "n_trials": SearchText(
        "Penalties tried",
        "How many values, or pairs of values, are compared. Values of one penalty are spread evenly over its usual "
        "range, pairs are drawn by chance.",
    ),
    "n_folds": SearchText(
        "Folds",
        "Into how many parts the training rows are divided; every setting is fitted once without each part and "
        "measured on it; split by time, it is fitted to the rows before the part. More folds measure better and take "
        "longer.",
    ),
    "max_batches": SearchText(
        "Most batches",
        "The largest number of batches that is tried, after the penalties are chosen.",
    ),
    "second_look": SearchText(
        "Try smaller penalties with more batches, too",
        "Step 1 compares models of one batch. Step 2 goes on with smaller penalties that looked as good there, as long "
        "as more batches make them better. It takes longer, and can be much more accurate with many classes.",
    ),
    "rule": SearchText(
        "Which one to choose",
        "The lowest log-loss on a handful of folds is partly luck. Among all that are about as good, the simplest uses "
        "fewer features and prototypes, and is less likely to have learned noise.",
    ),
    "random_state": SearchText(
        "Seed of the search",
        "Starting point of the random choices: folds, pairs of penalties and candidates. The same seed gives the same "
        "search.",
    ),
}

# The same for a joint search.
JOINT_TEXTS: dict[str, SearchText] = {
    "n_folds": SEARCH_TEXTS["n_folds"],
    "max_batches": SearchText(
        "Most batches",
        "The largest number of batches that is tried. Every number up to it is compared, as long as more of them help.",
    ),
    "rule": SearchText(
        "Which one to choose",
        "The lowest log-loss on a handful of folds is partly luck. A smaller model that is about as good is easier to "
        "look through, and less likely to have learned noise. Another point can be taken afterwards.",
    ),
    "n_joined": SearchText(
        "Joined fits",
        "Beside the chosen model the search tries the votes of so many fits like it, joined as one model, and takes "
        "that unless it is clearly worse. Each one above 1 takes another fit per fold; 1 joins nothing. Left empty: 4 "
        "where fewer than 500 rows are learned from, because there one fit depends much on which rows are drawn, else "
        "2.",
    ),
    "random_state": SearchText(
        "Seed of the search",
        "Starting point of the random choices: folds and candidates. The same seed gives the same search.",
    ),
    "lambda_v": SearchText(
        "Feature penalty",
        "The smallest and the largest value that are tried; the others lie evenly between them on a scale of powers.",
    ),
    "n_lambda_v": SearchText("Values of it", "How many values of the feature penalty are tried."),
    "lambda_w": SearchText(
        "Prototype penalty",
        "The smallest and the largest value that are tried; the others lie evenly between them on a scale of powers.",
    ),
    "n_lambda_w": SearchText("Values of it", "How many values of the prototype penalty are tried."),
    "max_rows": SearchText(
        "Rows per batch while searching",
        "The most rows that a batch learns from inside the folds, drawn anew for each. The final model is not bound by "
        "it. Leave it empty to use all.",
    ),
}

# Under the values of services.fit_modes.Method: what the choice says, and what it means.
METHODS: dict[str, tuple[str, str]] = {
    "joint": (
        "Joint search (recommended)",
        "Compares both penalties together with the number of batches, and shows what smaller models give away.",
    ),
    "report": (
        "Algorithm 2.2 of the report",
        "Compares 50 random pairs of penalties with models of one batch, then numbers of batches for the chosen pair.",
    ),
}

# Under the values of services.fit_modes.Mode: what the switch says, and what it means.
MODES: dict[str, tuple[str, str]] = {
    "quick": (
        "Quick fit",
        "Tries a few settings by cross-validation on the training rows and fits with the best of them.",
    ),
    "search": (
        "Search",
        "Tries many settings by cross-validation on the training rows, and shows how good models of every size are.",
    ),
    "own": (
        "Own settings",
        "Fits once, with the settings under Advanced.",
    ),
}

NUMBER_SEARCH = "Tries many settings by cross-validation on the training rows and fits with the best of them."
"""Caption of a search for a model of a number."""

# Under the values of proset.selection.Rule, for a joint search.
JOINT_RULES: dict[str, str] = {
    "se": "About as good, smaller",
    "sd": "Not much worse, smaller",
    "best": "The best, of any size",
}

# Under the values of services.search.Penalties.
PENALTIES: dict[str, str] = {
    "features": "Feature penalty",
    "both": "Both penalties, in pairs",
    "prototypes": "Prototype penalty",
}

# Under the values of proset.selection.Rule: what is chosen, and what is meant by it.
RULES: dict[str, tuple[str, str]] = {
    "sd": (
        "Simplest, within one standard deviation",
        "The strongest penalties and fewest batches whose mean log-loss is at most one standard deviation over folds "
        "above the lowest.",
    ),
    "se": (
        "Simplest, within one standard error",
        "The same, but stricter: the standard deviation is divided by the root of the number of folds.",
    ),
    "best": ("Lowest log-loss", "The lowest mean, however many features, prototypes and batches it takes."),
}
