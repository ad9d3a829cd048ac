"""A search for a model of a number in words."""

from dataclasses import replace

import numpy as np

from proset.selection.number_plan import NumberPlan
from proset.selection.number_record import NumberRecord
from proset.selection.number_scores import NumberRefined, NumberTrial
from proset.selection.number_words import early_words, number_search_report, number_search_words


def record_of(n_trials, **options):
    plan = NumberPlan(n_trials=n_trials, n_folds=2, max_batches=2, **options)
    random = np.random.default_rng(0)
    trials = []
    for place, settings in enumerate(plan.settings()):
        scores = 2.0 - 0.1 * place + random.normal(0, 0.01, (2, 3, len(plan.spread_factors)))
        scores[:, 0] = 4.0
        trials.append(NumberTrial(settings, scores))
    return NumberRecord(plan, "", tuple(trials))


def marked(report):
    return [line for line in report.splitlines() if line.startswith(">")]


def test_the_model_is_marked_and_the_best_stand_first():
    record = record_of(7)
    report = number_search_report(record)
    (line,) = marked(report)
    assert f"{record.log_score:.3f}" in line
    scores = [float(line.split()[-7]) for line in report.splitlines()[3:8]]
    assert scores == sorted(scores)
    assert "... and 2 more" in report
    assert max(map(len, report.splitlines())) <= 80
    assert "7 sets of settings tried" in report


def test_what_a_person_has_chosen_is_marked_even_if_it_is_not_among_the_best():
    record = record_of(7).with_choice(0, 1)
    (line,) = marked(number_search_report(record))
    assert f"{record.points().query('trial == 0 and batches == 1')['mean'].item():.3f}" in line
    assert number_search_words(record).startswith("Chosen by hand after 2-fold search: lambda_v 0.001")


def test_a_search_that_was_ended_early_says_so():
    record = replace(record_of(7), trials=record_of(7).trials[:5]).take_best_so_far()
    assert number_search_words(record).startswith("Chosen as the best so far, after 5 of 7 trials, by 2-fold search: ")
    assert early_words(record_of(7).take_best_so_far()) == "before its last look"
    assert early_words(record_of(7)) == early_words(record_of(7).with_choice(0, 1)) == ""


def test_narrowed_spreads_and_joined_fits_are_said_where_there_are_batches():
    record = record_of(1, n_joined=3).with_choice(0, 2, 2)
    assert "2 batches, spreads times 0.7, 3 fits joined, thinning 0.001; log score" in number_search_words(record)
    bare = number_search_words(record_of(1, n_joined=3).with_choice(0, 0, 1))
    assert "0 batches; log score 4.000, as everybody 4.000." in bare


def test_the_last_look_is_said():
    record = record_of(1, n_joined=3)
    fold = NumberRefined(np.tile([1.5, 1.6, 1.7], (12, 1)), np.arange(120.0, 0.0, -10.0))
    record = replace(record, refined=(fold, fold))
    assert "Last look, 3 fits joined: taken with correction 1 and thinning 0.01;" in number_search_report(record)
    assert "log score 1.500 with 10 prototypes on average." in number_search_report(record)
    assert ", 3 fits joined, correction 1, thinning 0.01; log score 1.500" in number_search_words(record)
