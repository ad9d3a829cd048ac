"""Titles, helps and "how to read this" texts, in words that need no statistics."""

from __future__ import annotations

from dataclasses import dataclass

from proset.data.issues import Role


@dataclass(frozen=True)
class PageText:
    """What a page says about itself.

    Attributes
    ----------
    menu : str
        Short name in the navigation.
    icon : str
        Material symbol of the page.
    title : str
        Heading of the page.
    lead : str
        One sentence: the question the page answers.
    how_to_read : str
        Markdown for the folded explanation.
    """

    menu: str
    icon: str
    title: str
    lead: str
    how_to_read: str


TEXTS: dict[str, PageText] = {
    "data": PageText(
        menu="Data",
        icon=":material/table_chart:",
        title="Data",
        lead="Which cases should the model learn from, and what should it learn to tell apart?",
        how_to_read="""
Each **row** is one case and each **column** one thing known about it. One column, the **target**, says which class a
case belongs to; the model learns to estimate it from the others.

- **Role** says how a column is used. *Numeric*, *categorical*, *boolean* and *date* columns go into the model.
  An *identifier* is used only to find a case again. *Text* and *extra* columns are kept and shown, never learned from.
- **Findings** are things worth a look before fitting: a column that gives the answer away, one with mostly missing
  values, one that is different in every row. Each names a role that would settle it; you decide.
- **Missing values** in a feature are filled with a typical value, and every page says where that happened. Rows
  without a target are set aside: they are not learned from, but the model still gives an estimate for them.
- **Held-out rows** are kept back while learning, so that the model can be judged on cases it has never seen.
""",
    ),
    "fit": PageText(
        menu="Fit",
        icon=":material/model_training:",
        title="Fit",
        lead="How well can the classes be told apart, and what does the model look at?",
        how_to_read="""
The model keeps a few real cases, the **prototypes**, and says how much each **feature** counts. A new case is compared
with the prototypes; those that are most like it have the most say.

- **Held-out rows** were not used for learning. Every measure on this page is taken from them.
- **Log-loss** punishes estimates that are confident and wrong: 0 is perfect. The *naive* value is what one gets by
  always stating how common each class is; a model above it has learned nothing useful.
- **ROC-AUC** is the chance that, of two cases of different classes, the model ranks the right one higher:
  0.5 is guessing, 1 is perfect. With more than two classes it is the mean over all pairs of classes.
- **Balanced accuracy** is the share of right answers, averaged over the classes so that a rare class counts as much
  as a common one.
- **Feature weights**: a longer bar means that a difference in this feature makes two cases more unlike. Features
  without a bar are not used. Weights are for standardised features, so they can be compared.
- **Confusion**: a row per actual class, a column per predicted class. Squares off the diagonal are mistakes.

A **search** finds the penalties and the number of batches instead of leaving them to you. It divides the training rows
into parts, the *folds*, fits without one of them, measures the log-loss on it, and does so for every fold.

- **Each point** is the mean log-loss over the folds, the band around it one standard deviation. The **star** is the
  lowest mean. What lies below the **dashed line** is about as good; of these the **diamond**, the simplest, is chosen.
- **Step 1** compares penalties with one batch, **step 2** compares numbers of batches with the penalties of step 1.
- Held-out rows take no part in the search, so the measures at the top of the page are not flattered by it.
""",
    ),
    "map": PageText(
        menu="Map",
        icon=":material/scatter_plot:",
        title="Map",
        lead="Which cases does the model see as alike, and where does it go wrong?",
        how_to_read="""
Each small mark is a case, each large mark a **prototype**; colour and shape tell the class. Cases that the model finds
alike lie close together, because distances use only the features the model weighs, by as much as it weighs them.

- A mark with a **black ring** is misclassified: the model's most probable class is not the actual one.
- **Click a mark** to select the case; the diamond shows it, and the Case page explains it.
- A flat map cannot show everything. The share at each axis says how much of the spread it carries; two cases that
  look close may differ in a direction the map leaves out.
""",
    ),
    "case": PageText(
        menu="Case",
        icon=":material/person_search:",
        title="Case",
        lead="Why does the model say this about this case, and is the case like anything it has seen?",
        how_to_read="""
The estimate is a sum. Every prototype adds its **contribution** to its own class, the more so the more alike it is to
the case and the greater its weight; the **baseline** adds how common each class is. The column sums are the estimate.

- **Familiarity** says how much the model has seen that is like this case: at 10 %, nine of ten held-out rows are more
  familiar to it. With low familiarity the estimate falls back on how common the classes are: look twice.
- **Similarity** runs from 0 (nothing in common) to 1 (the same in all features the model uses).
- **Dominant set**: the smallest group of prototypes that settles the answer; whatever the others say, it stays.
- **Beside its prototypes**, each feature is shown in its own units. Marked values differ most from the case.
""",
    ),
}


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
    low, high : float
        The range the page and the address accept; for penalties the range in which the report found good values.
    whole : bool
        Only whole numbers.
    log : bool
        Chosen on a scale of powers of ten.
    """

    name: str
    label: str
    help: str
    low: float
    high: float
    whole: bool = False
    log: bool = False


HYPERPARAMETERS: dict[str, Hyperparameter] = {
    item.name: item
    for item in (
        Hyperparameter(
            "n_iter",
            "Batches",
            "How many groups of prototypes are added one after another: one is usually enough, more can follow finer "
            "patterns and take longer, 0 only states how common each class is.",
            0,
            10,
            whole=True,
        ),
        Hyperparameter(
            "num_candidates",
            "Candidates per batch",
            "How many training rows are tried as prototypes in each batch: more can find better ones, at the price of "
            "time.",
            10,
            5000,
            whole=True,
        ),
        Hyperparameter(
            "max_fraction",
            "Largest share of candidates",
            "The largest share of any class that may be tried as prototypes; the remaining rows are needed to judge "
            "them.",
            0.05,
            0.95,
        ),
        Hyperparameter(
            "lambda_v",
            "Feature penalty (lambda_v)",
            "How strongly the model is pressed to use few features and smooth borders: raise it if the model learns "
            "noise, lower it if it misses patterns.",
            1e-6,
            1e-1,
            log=True,
        ),
        Hyperparameter(
            "lambda_w",
            "Prototype penalty (lambda_w)",
            "How strongly the model is pressed to give prototypes small weights and keep few of them: it matters much "
            "less than the feature penalty.",
            1e-9,
            1e-4,
            log=True,
        ),
        Hyperparameter(
            "alpha_v",
            "Share of squared penalty, features (alpha_v)",
            "How the feature penalty is split: near 1 it shrinks large weights, near 0 it presses all of them to zero "
            "alike.",
            0.0,
            1.0,
        ),
        Hyperparameter(
            "alpha_w",
            "Share of squared penalty, prototypes (alpha_w)",
            "The same split for the prototype penalty.",
            0.0,
            1.0,
        ),
        Hyperparameter(
            "solver_factr",
            "Solver tolerance (factr)",
            "When the search for weights may stop: a larger value stops earlier and keeps a few more prototypes.",
            1e5,
            1e12,
            log=True,
        ),
        Hyperparameter(
            "random_state",
            "Seed of the fit",
            "Starting point of the random choice of candidates: the same seed gives the same model.",
            0,
            2**31 - 1,
            whole=True,
        ),
        Hyperparameter(
            "max_samples",
            "Rows to learn from",
            "The largest number of training rows used for each batch, drawn anew with the classes in proportion: leave "
            "it empty to use all, set it if a large table takes too long.",
            50,
            1_000_000,
            whole=True,
        ),
    )
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
        "measured on it. More folds measure better and take longer.",
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

# Under the values of components.fit_mode.Mode: what the switch says, and what it means.
MODES: dict[str, tuple[str, str]] = {
    "quick": (
        "Quick fit",
        "Fits once, with settings that suit the size of the table unless you change them. Takes seconds.",
    ),
    "search": (
        "Search",
        "Tries many settings by cross-validation on the training rows and fits with the best choice. Takes longer.",
    ),
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

ROLE_HELP: dict[Role, str] = {
    Role.TARGET: "the class to estimate",
    Role.IDENTIFIER: "names the case, not learned from",
    Role.NUMERIC: "a number, learned from",
    Role.CATEGORICAL: "one of a few values, learned from",
    Role.BOOLEAN: "yes or no, learned from",
    Role.DATE: "a day or time, learned from",
    Role.TEXT: "words, shown only",
    Role.EXTRA: "shown only",
}
