import pandas as pd
import pytest

from proset.explain.words import estimate_sentence, evidence_sentence


def prototypes(targets, dominant):
    marks = pd.array(dominant, dtype="Int64")
    return pd.DataFrame({"target": targets, "dominant set": marks, "similarity": [0.002] * len(targets)})


@pytest.mark.parametrize(
    ("targets", "dominant", "expected"),
    [
        ([], [], "The model has no prototypes"),
        (["a", "b"], [0, 0], "All 2 prototypes together leave the two leading classes level"),
        (["a", "a"], [1, 1], "It takes all 2 prototypes to decide which class comes first: 'a', with 66.0 %."),
        (
            ["a", "b", "b"],
            [1, 0, 0],
            "The most influential of 3 prototypes decides which class comes first: 'a', with 66.0 %, "
            "and still with 52.0 % if all 2 others spoke for another class.",
        ),
        (
            ["a", "a", "b"],
            [1, 1, 0],
            "The 2 most influential of 3 prototypes decide which class comes first: 'a', "
            "with 66.0 %, and still with 52.0 % if the other one spoke for another class.",
        ),
        (
            ["a", "a", "a", "b"],
            [1, 1, 1, 0],
            "The 3 most influential of 4 prototypes decide which class comes first: 'a', ",
        ),
    ],
)
def test_evidence(targets, dominant, expected):
    text = evidence_sentence(prototypes(targets, dominant), first="a", share=0.66, least=0.52, shares_decide=False)
    assert text.startswith(expected)
    assert "settle" not in text  # what comes first at 66 % is not settled


def test_evidence_far_from_every_prototype():
    text = evidence_sentence(prototypes(["b", "a"], [1, 0]), first="a", share=0.6, least=0.6, shares_decide=True)
    assert text == (
        "The class shares decide which class comes first, whatever prototypes say: 'a', with 60.0 %; "
        "the most influential of 2 prototypes, 'b', has similarity under 0.01."
    )
    alone = evidence_sentence(prototypes(["a"], [1]), first="a", share=0.6, least=0.6, shares_decide=True)
    assert alone.endswith("; the only prototype, 'a', has similarity under 0.01.")


SHARES = pd.Series({"b": 0.3, "a": 0.6, "c": 0.1})


@pytest.mark.parametrize(
    ("part", "actual", "ending"),
    [
        ("train", "a", "The table says the same of this training row."),
        ("held_out", "b", "The table says 'b': this held-out row is misclassified."),
        ("unlabelled", None, "This row has no label to compare with."),
        ("new", None, "This new row has no label to compare with."),
    ],
)
def test_estimate(part, actual, ending):
    text = estimate_sentence(part, actual=actual, probabilities=SHARES, predicted="a")
    assert text == f"The model says 'a' with 60.0 %, then 'b' with 30.0 %. {ending}"


@pytest.mark.parametrize(
    ("actual", "predicted", "ending"),
    [
        ("a", "a", "The table says 'c', people said 'a', as the model does."),
        ("b", "a", "The table says 'c', people said 'b': this training row is misclassified."),
        (None, "a", "The table says 'c', but the row was left out."),
    ],
)
def test_the_table_is_not_said_to_say_what_people_said(actual, predicted, ending):
    text = estimate_sentence("train", actual=actual, probabilities=SHARES, predicted=predicted, stated="c")
    assert text == f"The model says 'a' with 60.0 %, then 'b' with 30.0 %. {ending}"


def test_what_the_decision_rule_says_is_compared_with_the_table():
    text = estimate_sentence("held_out", actual="b", probabilities=SHARES, predicted="b")
    assert "The decision rule says 'b', which has 30.0 %. The table says the same of this held-out row." in text
    wrong = estimate_sentence("held_out", actual="a", probabilities=SHARES, predicted="b")
    assert "misclassified" in wrong
    left = estimate_sentence("held_out", actual="b", probabilities=SHARES, predicted="a", left=True)
    assert left.endswith("The decision rule leaves this held-out row to a person. The table says 'b'.")
    assert "misclassified" not in left
    leaning = estimate_sentence("new", actual=None, probabilities=SHARES, predicted="b", left=True)
    assert leaning.endswith("The decision rule, which leans to 'b', leaves this new row to a person.")
