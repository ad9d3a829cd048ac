"""Progress in a terminal: whoever works never waits for whoever draws."""

import threading

from proset.cli import terminal
from proset.selection import SearchPlan
from proset.selection.search_progress import SearchProgress


def test_the_work_takes_no_lock_of_the_bar(monkeypatch, capsys):
    """Ctrl-C would leave it taken, and the program would wait for itself for ever."""
    monkeypatch.setattr(terminal, "is_watched", lambda *, quiet: not quiet)
    held, release = threading.Event(), threading.Event()

    def hold():
        with terminal._Bar.get_lock():
            held.set()
            release.wait(30)

    holder = threading.Thread(target=hold, daemon=True)
    worker_done = threading.Event()
    with terminal.search_bar(SearchPlan(), None, quiet=False) as show:
        holder.start()
        assert held.wait(30)

        def work():
            for done in range(1, 200):
                show(SearchProgress(stage=1, done=done, total=200, share=done / 200, seconds_left=9.0, seconds=1.0))
            worker_done.set()

        threading.Thread(target=work, daemon=True).start()
        finished = worker_done.wait(10)
        release.set()
    assert finished


def test_what_is_done_is_drawn(monkeypatch, capsys):
    monkeypatch.setattr(terminal, "is_watched", lambda *, quiet: not quiet)
    drawn = threading.Event()
    refresh = terminal._Bar.refresh

    def seen(bar, *args, **kwargs):
        refresh(bar, *args, **kwargs)
        if "Stage 2" in bar.desc:
            drawn.set()

    monkeypatch.setattr(terminal._Bar, "refresh", seen)
    with terminal.search_bar(SearchPlan(), None, quiet=False) as show:
        show(SearchProgress(stage=2, done=3, total=9, share=0.5, seconds_left=61.0, seconds=1.0))
        assert drawn.wait(10)
    said = capsys.readouterr().err
    assert "Stage 2 of 3, number of batches: 3 of 9  50 %" in said
    assert "01:01 to go" in said
