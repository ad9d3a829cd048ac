"""Estimates learn from what was measured on this server."""

from dashboard.services.fit import fit_time as service
from dashboard.services.fit import learned_time
from dashboard.services.fit.fit_time import FitTime, corrected, needed_words
from dashboard.services.fit.learned_time import LearnedTimes
from dashboard.services.fit.modes import Mode
from proset.study.time_needed import TimeNeeded


def test_repeated_work_is_promised_as_it_was_measured(monkeypatch):
    learned = LearnedTimes()
    monkeypatch.setattr(service, "LEARNED", learned)
    estimate = FitTime(TimeNeeded(110.0, 10.0), 500)
    assert needed_words(corrected(estimate, Mode.QUICK)) == "Takes about 2 min."
    for _ in range(4):  # each piece of work was promised what was known before it
        learned.learn(Mode.QUICK, corrected(estimate, Mode.QUICK).needed, 11.0)
    assert needed_words(corrected(estimate, Mode.QUICK)) == "Takes about 10 s."
    assert needed_words(corrected(estimate, Mode.SEARCH)) == "Takes about 2 min."


def test_moments_and_wild_values_do_not_mislead():
    learned = LearnedTimes()
    learned.learn(Mode.OWN, TimeNeeded(0.0, 0.1), 50.0)
    assert learned.corrected(Mode.OWN, TimeNeeded(0.0, 10.0)).seconds == 10.0
    learned.learn(Mode.OWN, TimeNeeded(0.0, 1.0), 1e9)
    assert learned.corrected(Mode.OWN, TimeNeeded(0.0, 10.0)).seconds < 10.0 * learned_time._FARTHEST
