"""Agreement of people, what follows from what they say, and what settles it."""

import krippendorff
import numpy as np
import pytest
from judgements import judgement
from sklearn.metrics import cohen_kappa_score
from sqlalchemy import text

from proset.data.samples import load_sample
from proset.workspace import (
    OutcomeState,
    RefusedJudgementError,
    ReviewVerdict,
    StudyFacts,
    Workspace,
    outcomes,
    standing,
    workspace_address,
)
from proset.workspace.agreement import agreement
from proset.workspace.chain import chained, record_hash, verify

V = ReviewVerdict
SAYS = {  # by one letter
    "t": {"verdict": V.TABLE},
    "m": {"verdict": V.MODEL, "new_label": "virginica"},
    "o": {"verdict": V.OTHER, "new_label": "virginica"},
    "b": {"verdict": V.BOTH},
    "f": {"verdict": V.FAULTY},
    "s": {"verdict": V.SKIPPED},
}


def said(**by):
    """Records of people by name: one letter a row from 1 on, a blank where nothing is said."""
    every = [(name, row, letter) for name, letters in by.items() for row, letter in enumerate(letters, 1)]
    return chained(
        judgement(number, row=row, reviewer=name, **SAYS[letter])
        for number, (name, row, letter) in enumerate(every)
        if letter != " "
    )


def settled(records, *, by="Cid", row=1, **changes):
    """The same records, and what settles a row."""
    entries = tuple(one.judgement.entry for one in records if one.judgement.row == row)
    plain = {"row": row, "reviewer": by, "settles": entries, **SAYS["m"]}
    return records + chained(
        [judgement(len(records) + 900, **plain | changes)], number=len(records), previous=records[-1].hash
    )


@pytest.fixture
def card(workspace):
    table = load_sample("iris_2f")
    return workspace.create("Flowers", table, StudyFacts.of(table, "species"))


# --- how far people agree ---------------------------------------------------------------------------------------------
def test_a_published_example_of_alpha():
    """Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), part C: four observers, twelve units, .743."""
    values = {
        "A": "123321412   ",
        "B": "1233224125 3",
        "C": " 3332342251 ",
        "D": "12332441251 ",
    }
    letter = {"1": "t", "2": "m", "3": "b", "4": "f", "5": "u", " ": " "}
    SAYS["u"] = {"verdict": V.UNDECIDABLE}
    found = agreement(said(**{name: "".join(letter[each] for each in line) for name, line in values.items()}))
    assert found.alpha.value == pytest.approx(0.743, abs=5e-4)
    assert found.alpha.n == 11  # of the last unit only one says something
    assert found.alpha.interval[0] < 0.743 < found.alpha.interval[1]


def test_kappa_of_two_is_that_of_scikit_learn():
    ann, ben = "ttmmbtfmtt", "tmmmbtfttt"
    found = agreement(said(Ann=ann, Ben=ben))
    assert found.kappas[("Ann", "Ben")].value == pytest.approx(cohen_kappa_score(list(ann), list(ben)))
    assert found.raw.value == pytest.approx(np.mean([a == b for a, b in zip(ann, ben, strict=True)]))
    codes = [["tmbf".index(one) for one in line] for line in (ann, ben)]
    assert found.alpha.value == pytest.approx(krippendorff.alpha(codes, level_of_measurement="nominal"))
    low, high = found.raw.interval
    assert 0 <= low < found.raw.value < high <= 1
    assert agreement(said(Ann=ann, Ben=ben)).alpha == found.alpha  # drawn in the same way again


def test_three_cases_on_which_people_differ_or_agree_are_no_certainty():
    for ben, value in (("mmm", 0.0), ("ttt", 1.0)):
        found = agreement(said(Ann="ttt", Ben=ben))
        assert found.raw.value == value
        assert found.raw.interval[1] - found.raw.interval[0] == pytest.approx(0.56, abs=0.01)
        assert found.alpha.interval is None
        assert found.kappas[("Ann", "Ben")].interval is None


def test_the_class_that_comes_out_counts_not_the_key():
    found = agreement(said(Ann="mt", Ben="ot"))
    assert found.raw.value == 1.0
    assert found.by_verdict.loc["model", "other"] == 1
    assert found.by_class.loc["'virginica'", "'virginica'"] == 1


@pytest.mark.parametrize(
    ("by", "names", "n"),
    [
        ({"Ann": "ttm"}, ("Ann",), 0),  # one
        ({"Ann": "tt  ", "Zoë 診断": "  tm"}, ("Ann", "Zoë 診断"), 0),  # no case in common
        ({"Ann": "tts", "Ben": "stm"}, ("Ann", "Ben"), 1),  # set aside is not judged
        ({"Ann": "t"}, ("Ann",), 0),
    ],
)
def test_only_cases_of_two_people_count(by, names, n):
    found = agreement(said(**by))
    assert (found.reviewers, found.raw.n, found.alpha.n) == (names, n, n)
    assert found.alpha.interval is None
    assert (found.raw.interval is None) == (n == 0)
    if not n:
        assert found.raw.value is found.alpha.value is None
        assert (found.words, found.kappas, found.by_class.empty) == ("", {}, True)


def test_the_last_word_of_each_counts():
    records = chained(
        judgement(number, row=1, reviewer=name, **SAYS[letter])
        for number, (name, letter) in enumerate([("Ann", "t"), ("Ann", "m"), ("Ben", "m")])
    )
    assert agreement(records).raw.value == 1.0
    assert agreement(records).by_class.to_numpy().tolist() == [[1]]


def test_why_alpha_is_low_where_people_agree_is_said():
    found = agreement(said(Ann="t" * 30 + "m", Ben="t" * 29 + "mt"))
    assert found.raw.value > 0.9
    assert found.alpha.value < 0.05
    assert "96.8 % of all that was said is 'setosa'" in found.words
    alike = agreement(said(Ann="ttt", Ben="ttt"))
    assert (alike.raw.value, alike.alpha.value, alike.kappas[("Ann", "Ben")].value) == (1.0, None, None)
    assert "cannot be told" in alike.words
    assert agreement(said(Ann="tmtm", Ben="tmtm")).words == ""


def test_of_more_than_two_every_pair_counts_in_both_orders():
    found = agreement(said(Ann="t", Ben="m", Cid="t"))
    assert found.by_class.loc["'setosa'", "'virginica'"] == found.by_class.loc["'virginica'", "'setosa'"] == 2
    assert found.by_class.loc["'setosa'", "'setosa'"] == 2
    assert found.raw.value == pytest.approx(1 / 3)
    assert set(found.kappas) == {("Ann", "Ben"), ("Ann", "Cid"), ("Ben", "Cid")}


# --- what follows -----------------------------------------------------------------------------------------------------
def test_what_follows_from_what_is_said():
    records = said(Ann="tmtbs", Ben="tot t")
    found = outcomes(records)
    assert {row: str(one.state) for row, one in found.items()} == dict.fromkeys(range(1, 6), "agreed")
    assert [one.label for one in found.values()] == ["setosa", "virginica", "setosa", None, "setosa"]
    differ = outcomes(said(Ann="tf", Ben="mt"))
    assert all(one.state is OutcomeState.DISPUTED for one in differ.values())
    assert [(one.word, one.label, one.verdict, one.by) for one in differ.values()] == [
        (None, None, None, ("Ann", "Ben"))
    ] * 2


@pytest.mark.parametrize("by", ["Cid", "Ann"])
def test_a_third_signature_decides(by):
    records = settled(said(Ann="t", Ben="m"), by=by)
    found = outcomes(records)[1]
    assert (found.state, found.label, found.word.reviewer) == (OutcomeState.SETTLED, "virginica", by)
    assert {name for _, name in standing(records)} == {"Ann", "Ben"}  # both have still said what they said
    assert standing(records)[1, "Ann"].judgement.verdict is V.TABLE
    assert agreement(records).raw.value == 0.0
    assert agreement(records).reviewers == ("Ann", "Ben")


def test_a_settlement_holds_until_something_else_is_said():
    records = settled(said(Ann="t", Ben="m"))

    def with_more(letter, **changes):
        more = judgement(500, row=1, reviewer="Dee", **SAYS[letter] | changes)
        return outcomes(records + chained([more], number=3, previous=records[-1].hash))[1].state

    assert with_more("m") is OutcomeState.SETTLED
    assert with_more("o") is OutcomeState.SETTLED
    assert with_more("f") is OutcomeState.DISPUTED
    assert with_more("m", verdict=V.UNDONE, takes_back="client-902") is OutcomeState.DISPUTED


# --- how it is kept ---------------------------------------------------------------------------------------------------
def test_what_settles_is_part_of_the_chain_and_older_hashes_stay():
    plain = judgement(1)
    assert record_hash(plain, 1, "0" * 64) == "da109f4f9ce008c1d38314fe1bcf0cd488f57695924ebef14f5b4191a74017d7"
    records = settled(said(Ann="t", Ben="m"))
    assert verify(records) == ()
    assert record_hash(records[2].judgement, 3, records[2].previous) == records[2].hash


def test_a_settlement_is_kept_and_comes_back(workspace, card):
    records = settled(said(Ann="t", Ben="m"))
    assert workspace.say(card.id, [one.judgement for one in records]) == records
    assert workspace.records(card.id) == records
    assert workspace.cards()[0].n_reviewed == 1


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"settles": ("nobody",)}, "'nobody' cannot be settled: it is not there"),
        ({"row": 2}, "it is of another row"),
        ({"verdict": V.SKIPPED}, "does not go with the verdict 'skipped'"),
        ({"settles": ("client-0", "a b")}, "holds something that is no entry"),
        ({"settles": ["client-0"]}, "holds something that is no entry"),
        ({"settles": ("client-0",) * 1_001}, "has 1,001"),
    ],
)
def test_what_nobody_has_said_cannot_be_settled(workspace, card, changes, says):
    records = said(Ann="t", Ben="m")
    workspace.say(card.id, [one.judgement for one in records])
    plain = {"row": 1, "reviewer": "Cid", "settles": ("client-0", "client-1"), **SAYS["m"]}
    with pytest.raises(RefusedJudgementError, match=says):
        workspace.say(card.id, [judgement(9, **plain | changes)])


def test_a_settlement_is_not_settled_again_but_said_anew(workspace, card):
    records = settled(said(Ann="t", Ben="m"))
    workspace.say(card.id, [one.judgement for one in records])
    entry = records[-1].judgement.entry
    with pytest.raises(RefusedJudgementError, match="no verdict of somebody on the case"):
        workspace.say(card.id, [judgement(9, reviewer="Dee", settles=(entry,), **SAYS["t"])])
    workspace.say(card.id, [judgement(9, reviewer="Dee", settles=records[-1].judgement.settles, **SAYS["t"])])
    assert outcomes(workspace.records(card.id))[1].label == "setosa"


def test_a_database_from_before_opens_with_its_records(environ, database_of):
    """What was said when nothing could be settled yet stays as it is, and can be settled now."""
    engine = database_of(environ, "0004")
    old = said(Ann="t", Ben="m")
    lists = {"reasons": "[]", "hidden": "[]"}
    with engine.begin() as connection:
        for one in old:
            fields = {name: getattr(one.judgement, name) for name in vars(one.judgement) if name != "settles"}
            fields |= lists | {"verdict": str(one.judgement.verdict), "study_id": "abc", "number": one.number}
            fields |= {"at": one.judgement.at.isoformat(), "previous": one.previous, "hash": one.hash}
            names = ", ".join(f'"{name}"' for name in fields)
            values = ", ".join(f":{name}" for name in fields)
            connection.execute(text(f"INSERT INTO records ({names}) VALUES ({values})"), fields)
    engine.dispose()
    workspace = Workspace(workspace_address(environ))
    assert workspace.records("abc") == old
    workspace.say("abc", [settled(old)[-1].judgement])
    assert workspace.records("abc") == settled(old)
    assert verify(workspace.records("abc")) == ()
    workspace.close()
