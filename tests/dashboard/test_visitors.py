"""Who has gone: the work of that browser ends, what it had is released, and others notice nothing."""

import gc
import threading
import weakref
from types import SimpleNamespace

import pytest
from live_server import PATIENCE, serving
from patience import wait_until
from streamlit import config

from dashboard.session import jobs, visitors
from dashboard.session.opened import OpenTable
from dashboard.session.visitors import Visitors


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


class Work:
    """A job that notes whether it was ended."""

    def __init__(self):
        self.ended = threading.Event()

    def abandon(self):
        self.ended.set()


@pytest.fixture
def house():
    """Two visitors, of whom tests say who is there."""

    house = SimpleNamespace(there={"one", "two"}, released=[], clock=Clock(), works={"one": Work(), "two": Work()})
    house.visitors = Visitors(house.there.__contains__, house.released.append, house.clock)
    for name, work in house.works.items():
        house.visitors.watch(name, work)
    return house


def test_the_work_of_who_has_gone_ends_and_a_while_later_all_is_released(house):
    house.visitors.sweep(100)
    house.there.remove("one")
    house.clock.now = 9.0
    house.visitors.sweep(100)
    assert not any(thread.name == "end work" for thread in threading.enumerate())  # who blinks has not gone
    house.clock.now = 10.0
    house.visitors.sweep(100)
    assert house.works["one"].ended.wait(PATIENCE)
    house.clock.now = 99.0
    house.visitors.sweep(100)
    assert house.released == []
    house.clock.now = 100.0
    house.visitors.sweep(100)
    assert house.released == ["one"]
    assert len(house.visitors) == 1
    assert not house.works["two"].ended.is_set()


def test_who_comes_back_in_time_keeps_everything(house):
    house.there.remove("one")
    house.clock.now = 99.0
    house.visitors.sweep(100)
    house.there.add("one")
    house.visitors.sweep(100)
    house.there.remove("one")
    house.clock.now = 198.0
    house.visitors.sweep(100)
    assert house.released == []


def test_what_is_handed_over_is_dropped_unless_its_browser_is_back(house):
    assert not house.visitors.hand_over("one", "three")  # it has come back while this was asked
    house.there.remove("one")
    assert house.visitors.hand_over("one", "three")
    assert house.released == ["one", "one"]
    house.there.add("three")
    house.clock.now = 10.0
    house.visitors.sweep(1000)
    house.there.remove("three")
    house.clock.now = 20.0
    house.visitors.sweep(1000)
    assert house.works["one"].ended.wait(PATIENCE)


def test_a_look_that_fails_is_not_the_last(house, monkeypatch, caplog):
    monkeypatch.setattr(visitors, "_SECONDS_BETWEEN_LOOKS", 0.01)
    house.there.remove("one")

    def fails_once(name):
        house.visitors._release = house.released.append
        house.visitors.watch(name)
        raise RuntimeError("no such luck")

    house.visitors._release = fails_once
    house.visitors.start(0.0)
    wait_until(lambda: house.released == ["one"])
    house.visitors.stop()
    assert "no such luck" in caplog.text


def test_the_end_of_work_does_not_hold_up_the_others():
    asked, go = threading.Event(), threading.Event()

    class Stubborn:
        def abandon(self):
            asked.set()
            assert go.wait(PATIENCE)

    kept, gone = Stubborn(), []
    house = Visitors(lambda _: False, gone.append)
    house.watch("one", kept)
    house.sweep(0)  # returns although the job has not ended
    assert asked.wait(PATIENCE)
    assert gone == ["one"]
    go.set()


# --- as it is served --------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def live():
    with serving() as served:
        yield served


def open_tables():
    gc.collect()
    return [weakref.ref(held) for held in gc.get_objects() if type(held) is OpenTable]  # a dead proxy has no class


@pytest.mark.slow
def test_nothing_of_who_has_gone_stays_in_memory_though_nobody_else_comes(live, monkeypatch):
    clock = Clock()
    monkeypatch.setattr(visitors, "VISITORS", Visitors(clock=clock))
    leaver, stayer = live.visitor(), live.visitor()
    before = len(open_tables())
    gone = leaver.join(query="data=wine")
    tables = open_tables()
    assert len(tables) == before + 1
    leaver.upload(gone.session, b"a,b\n1,2\n")
    stayer.join()
    leaver.leave()
    wait_until(lambda: not live.runtime().is_active_session(gone.session))
    visitors.VISITORS.sweep(100)
    assert len(open_tables()) == before + 1
    clock.now = 100.0
    visitors.VISITORS.sweep(100)
    wait_until(lambda: gone.session not in live.runtime()._session_mgr._session_storage._cache)
    visitors.VISITORS.sweep(100)
    assert len([held for held in gc.get_objects() if type(held) is OpenTable]) == before
    assert live.runtime().uploaded_file_mgr.get_files(gone.session, ["new.csv"]) == []
    assert len(visitors.VISITORS) == 1


def test_a_message_of_one_visitor_ends_no_work_of_another(live, hold):
    hold(0)
    worker, other = live.visitor().join(query="data=iris_2f&fit=1"), live.visitor().join()
    (entry,) = jobs.QUEUE._entries
    other.send(clear_cache=True)
    other.run()
    worker.run()
    assert jobs.QUEUE._entries == [entry]
    assert entry.is_alive


def test_a_run_for_one_visitor_does_not_walk_through_what_all_others_hold(live, monkeypatch):
    config.get_config_options(force_reparse=True)  # as it happens when a file of settings changes
    tab = live.visitor().join(query="data=wine")
    walks = []
    monkeypatch.setattr("gc.collect", lambda *_: walks.append(threading.current_thread().name))
    tab.run()
    tab.run()
    assert walks == []


@pytest.mark.slow
@pytest.mark.parametrize("page", ["data", "fit", "map", "compare"])
def test_work_under_way_is_looked_at_in_one_place_and_at_most_once_a_second(live, hold, page):
    hold(0)
    tab = live.visitor().join(query="data=iris_2f&fit=1")
    tab.heard.clear()
    tab.run(page)
    (look,) = (said.auto_rerun for said in tab.heard if said.WhichOneof("type") == "auto_rerun")
    assert look.interval >= 1.0
    tab.heard.clear()
    tab.run(page, fragment=look.fragment_id)
    assert "Starting" in tab.text() or "so far" in tab.text()
    assert "auto_rerun" not in tab.text()
