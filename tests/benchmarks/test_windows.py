"""The script with twelve windows: its tables tell windows apart, and the figures that are kept are good ones."""

import json

import pytest

from benchmarks.visitor import WORDS, Window
from benchmarks.windows import RESULTS, fill, flat, lines, shown
from proset.data.role_guess import guess_roles
from proset.data.table import read_table


class NoContext:
    """In place of a browser's context: a window that is never drawn."""

    def new_page(self):
        return self

    def set_default_timeout(self, _milliseconds):
        pass

    def on(self, _event, _handler):
        pass


@pytest.mark.slow
@pytest.mark.parametrize("word", WORDS[:3])
def test_a_table_holds_the_word_of_its_window_and_of_no_other(word):
    window = Window(NoContext(), word)
    data = window.csv()
    window._hear(data)
    window._hear(f"also as text: {word}")
    assert window.heard == {word}
    table = read_table(data, name=f"{word}.csv")
    assert guess_roles(table).roles.target == f"{word}_class"
    assert len(data) > 1_000_000


def test_words_do_not_hold_each_other():
    assert len(set(WORDS)) == len(WORDS) > 12
    assert not [(one, other) for one in WORDS for other in WORDS if one != other and one in other]


def test_figures_are_shown_with_what_went_wrong_in_bold():
    figures = {"killed": {"worker": {"said so": False, "seconds": 1234.56}, "left": 0}}
    assert list(flat(figures["killed"])) == [("worker: said so", False), ("worker: seconds", 1234.56), ("left", 0)]
    assert lines(figures)[2:] == [
        "| killed | worker: said so | **no** |",
        "| killed | worker: seconds | 1,234.6 |",
        "| killed | left | 0 |",
    ]
    assert shown(True) == "yes"


def test_the_figures_that_are_kept_are_good_ones():
    figures = json.loads((RESULTS / "windows.json").read_text())["figures"]
    windows = figures["windows"]
    assert windows["windows"] >= 12
    assert windows["windows that heard their own word"] == windows["windows"]
    assert windows["windows that heard the word of another"] == 0
    assert windows["memory afterwards, MiB"] <= 1.2 * windows["memory before, MiB"]
    assert windows["processes left besides the one that waits"] == 0
    assert figures["killed"]["server"]["folders of jobs left"] == 0
    bad = [name for part in figures.values() for name, value in flat(part) if value is False]
    assert bad == []


def test_filling_a_disk_ends_when_it_is_full(tmp_path, monkeypatch):
    written = []

    class Full:
        def __enter__(self):
            return self

        def __exit__(self, *_):
            return None

        def write(self, data):
            if len(written) == 3:
                raise OSError(28, "No space left on device")
            written.append(data)

    monkeypatch.setattr(type(tmp_path), "open", lambda *_, **__: Full())
    fill(tmp_path / "filler")
    assert len(written) == 3
