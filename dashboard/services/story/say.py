"""The sentences of each step: every number and every claim in them is asked of the model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.services.case.case import case_name
from dashboard.services.case.verdict import nearest_sentence
from dashboard.services.case.what_if import Edits, EditsParam, kept
from dashboard.services.cases import CaseRef
from dashboard.services.maps.surface import feature_order, two_features
from dashboard.services.report import Wish
from dashboard.texts import story as text
from proset.common.words import count_words, listed, percent, shown
from proset.study.unseen import untouched_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dashboard.services.story.ground import Ground

_MOST_CLASSES, _MOST_PARTS = 10, 4


def about(ground: Ground) -> Iterator[str]:
    """Say what the table holds, what is to be said of it, and on which rows quality rests."""
    study, words = ground.study, ground.words
    yield text.ABOUT.format(
        rows=f"{len(study.table.frame):,}",
        many=words.many,
        columns=count_words(len(study.roles.features), "column"),
        target=shown(study.roles.target),
        classes=listed(study.classes, most=_MOST_CLASSES),
    )
    held = len(study.split.held_out)
    yield text.ABOUT_HELD.format(held=f"{held:,}") if held else text.ABOUT_NONE_HELD.format(many=words.many)
    yield text.ABOUT_DO


def quality(ground: Ground) -> Iterator[str]:
    """Say how many rows it gets right, and which error is the most frequent."""
    lines = ground.lines
    decided, left = int(lines["correct"].notna().sum()), int(lines["left"].sum())
    wrong, right = len(ground.wrong), int(lines["correct"].eq(True).sum())
    if not decided:
        yield text.NOBODY.format(one=ground.words.one)
    elif wrong:
        yield text.RIGHT.format(count=f"{decided:,}", part=ground.part_words, right=f"{right:,}", wrong=f"{wrong:,}")
        kinds = ground.wrong.groupby(["actual", "predicted"], observed=True).size().sort_values(ascending=False)
        actual, predicted = kinds.index[0]
        if wrong > 1:
            yield text.MOST_ERRORS.format(
                count=f"{int(kinds.iloc[0]):,}", actual=shown(actual), predicted=shown(predicted)
            )
    else:
        yield text.ALL_RIGHT.format(count=f"{decided:,}", part=ground.part_words)
    if left:
        yield text.LEFT.format(left=f"{left:,}")
    yield text.RIGHT_DO


def alike(ground: Ground) -> Iterator[str]:
    """Say what near means, which marks vote, and which case is selected."""
    study = ground.study
    if study.prototypes.empty:
        yield text.NO_PROTOTYPES
        return
    batches = study.prototypes["batch"]
    yield text.ALIKE.format(used=count_words(len(study.used_columns), "column"))
    count = count_words(int(batches.eq(1).sum()), "prototype")
    yield text.LARGE.format(count=count, batch=text.OF_BATCH if batches.max() > 1 else "")
    if ground.case is not None:
        line = ground.evidence(ground.case).headline
        if line.actual is not None:
            yield text.SELECTED.format(
                name=_within(ground, ground.case), actual=shown(line.actual), predicted=shown(line.predicted)
            )
    yield text.MAP_DO


def votes(ground: Ground) -> Iterator[str]:
    """Say what the prototype decides that helps to settle most cases."""
    line = ground.prototype
    if line is None:
        yield text.NO_PROTOTYPES
        return
    count = count_words(len(ground.study.prototypes), "prototype")
    name = _name(ground, CaseRef.in_table(line["row"]))
    yield text.VOTES.format(name=name, count=count, target=shown(line["class"]))
    cases = f"{ground.table.n_cases:,} {ground.part_words}"
    if line["dominant"]:
        wrong = int(line["wrong"])
        yield text.SETTLES.format(
            settled=f"{int(line['dominant']):,}",
            cases=cases,
            wrong=f"{wrong:,}" if wrong else "none",
            is_are="is" if wrong == 1 else "are",
        )
    else:
        yield text.SETTLES_NONE.format(cases=cases)
    changed = int(line["changed"])
    yield text.WITHOUT.format(changed=count_words(changed, "decision") if changed else "no decision")
    yield text.VOTES_DO


def case(ground: Ground) -> Iterator[str]:
    """Say of the most confident error, or of the closest call, what the model says and on which grounds."""
    if ground.case is None:
        yield text.NO_CASE
        return
    evidence = ground.evidence(ground.case)
    line, name = evidence.headline, _name(ground, ground.case)
    said = {"predicted": shown(line.predicted), "share": percent(line.confidence)}
    if line.left:
        yield text.IS_LEFT.format(name=name, actual=shown(line.actual), **said)
    elif line.correct is None:
        yield text.IS_UNKNOWN.format(name=name, **said)
    elif line.correct:
        yield text.IS_CLOSE.format(
            name=name, count=f"{int(ground.lines['correct'].notna().sum()):,}", part=ground.part_words, **said
        )
    else:
        yield text.IS_WRONG.format(name=name, actual=shown(line.actual), **said)
    voices = evidence.sides[0].voices
    if voices:
        numbered = voices[0].name.startswith(f"row {voices[0].row}")
        leading = voices[0].name if numbered else _within(ground, CaseRef.in_table(voices[0].row))
        yield text.BECAUSE.format(name=leading, share=percent(voices[0].share))
    yield nearest_sentence(evidence.contradictions)
    yield text.CASE_DO


def unused(ground: Ground) -> Iterator[str]:
    """Say how many columns it uses, and what the others say of the case."""
    study = ground.study
    used, every = len(study.used_columns), len(study.roles.features)
    form = text.USES if 0 < used < every else text.USES_ALL if used else text.USES_NONE
    yield form.format(used=f"{used:,}", all=f"{every:,}")
    if ground.case is not None and used:
        against = ground.evidence(ground.case).contradictions
        name = _within(ground, ground.case)
        if against.words:
            yield text.OF_CASE.format(name=name, contradictions=" ".join(against.words))
        else:
            yield text.NO_CONTRADICTION.format(name=name, said=shown(against.said))
    if used < every:
        yield text.UNUSED_DO


def change(ground: Ground) -> Iterator[str]:
    """Say which single change flips the case."""
    if ground.case is None:
        yield text.NO_CASE
        return
    flip = ground.evidence(ground.case).flip
    yield flip.words
    if flip.smallest is not None:
        yield text.CHANGE_SAY
    if ground.study.used_columns:
        yield text.NO_CHANGE_DO if smallest_change(ground) is None else text.CHANGE_DO


def smallest_change(ground: Ground) -> str | None:
    """Return the smallest change of the case as it stands in an address; None without any."""
    if ground.case is None:
        return None
    evidence = ground.evidence(ground.case)
    first = evidence.flip.smallest
    if first is None:
        return None
    edits = Edits(ground.case).changed(first.feature, kept(evidence.ranges[first.feature], first.after))
    return EditsParam("edit", Edits()).write(edits) or None


def far(ground: Ground) -> Iterator[str]:
    """Say how the model stands to the least familiar case."""
    if ground.farthest is None:
        yield text.NO_CASE
        return
    evidence = ground.evidence(ground.farthest)
    line, standing = evidence.headline, evidence.report.standing
    yield text.FAR.format(
        name=_name(ground, ground.farthest),
        count=f"{len(ground.lines):,}",
        part=ground.part_words,
        standing=standing.known or standing.prototypes,
    )
    verdict = text.LEFT_WORD if line.left else text.UNKNOWN_WORD
    if line.correct is not None:
        verdict = text.RIGHT_WORD if line.correct else text.WRONG_WORD
    yield text.FAR_SAYS.format(predicted=shown(line.predicted), share=percent(line.confidence), verdict=verdict)
    yield text.FAR_SAY


def elsewhere(ground: Ground) -> Iterator[str]:
    """Say what the surface shows."""
    study, order = ground.study, feature_order(ground.study)
    if len(order) < 2 or ground.case is None:
        yield text.SURFACE_ONE
        return
    names = [study.roles.features[at - 1] for at in two_features(order, 0, 0)]
    name = _within(ground, ground.case)
    yield text.SURFACE.format(x=shown(names[0]), y=shown(names[1]), name=name)
    if not study.prototypes.empty:
        yield text.SURFACE_FAR.format(part=ground.part_words)
    yield text.SURFACE_DO


def review(ground: Ground) -> Iterator[str]:
    """Say who judges what, and what is never put up for judgement."""
    yield text.REVIEW
    if count := len(untouched_rows(ground.study)):
        yield text.REVIEW_UNTOUCHED.format(count=f"{count:,}", many=ground.words.many)
    yield text.REVIEW_DO


def report(ground: Ground) -> Iterator[str]:
    """Say what the report holds."""
    parts = list(Wish(ground.study, ground.rule, None, None).titles.values())
    yield text.REPORT.format(parts=", ".join(parts[:_MOST_PARTS]).lower())
    yield text.REPORT_SAY


def _name(ground: Ground, case: CaseRef) -> str:
    """Return what a case is called."""
    return case_name(ground.study, case.row)


def _within(ground: Ground, case: CaseRef) -> str:
    """Return the same within a sentence."""
    name = _name(ground, case)
    return f"{name[:1].lower()}{name[1:]}"
