"""Equal ranges of a target are cut on the rows that are learned from where the latest ones are held out."""

import numpy as np
import pandas as pd

from dashboard.services.data.target import Ranges, ranges_for
from dashboard.session.opened import OpenTable
from proset.cli import main
from proset.data.split import SplitSettings
from proset.data.table import read_table
from proset.storage import load


def growing():
    """Return prices that double in the last rows."""
    rng = np.random.default_rng(0)
    price = np.where(np.arange(300) < 200, rng.normal(100, 10, 300), rng.normal(300, 10, 300)).round(2)
    return pd.DataFrame({"size": (price + rng.normal(0, 5, 300)).round(2), "price": price})


def test_ranges_follow_the_split():
    frame = growing()
    table = read_table(frame.to_csv(index=False).encode(), name="prices.csv")
    opened = OpenTable.start(table)
    opened.edit(roles=opened.recipe.roles.with_role("price", "target"))
    at_random = ranges_for(table, "price", opened.recipe.split)[Ranges.MEDIAN]
    opened.edit(roles=opened.recipe.roles.with_classes(at_random))
    by_order = SplitSettings(1 / 3, file_order=True)
    opened.edit(split=by_order)
    (cut,) = opened.recipe.roles.classes.cuts
    assert abs(cut - frame["price"].iloc[:200].median()) < 1.0
    opened.edit(split=SplitSettings())
    assert opened.recipe.roles.classes.cuts == at_random.cuts
    own = type(at_random)(cuts=(120.0,))
    opened.edit(roles=opened.recipe.roles.with_classes(own))
    opened.edit(split=by_order)
    assert opened.recipe.roles.classes.cuts == (120.0,)


def test_the_command_line_cuts_on_the_rows_before_the_latest(tmp_path):
    frame, path = growing(), tmp_path / "prices.csv"
    frame.to_csv(path, index=False)
    options = ["--cuts", "median", "--file-order", "--test-fraction", "0.3", "--batches", "1", "-q"]
    # Held out are rows of one class only; the cut is what matters here.
    assert main(["fit", str(path), "-t", "price", "-o", str(tmp_path / "m.proset"), *options]) == 0
    study = load(tmp_path / "m.proset")
    assert abs(study.roles.classes.cuts[0] - frame["price"].iloc[:210].median()) < 1.0
    assert study.split.held_out.tolist() == list(range(211, 301))
