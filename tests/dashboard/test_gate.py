"""The gate before the served app: what each visitor may reach, tried with real web sockets."""

import pytest
from live_server import name_of, serving
from starlette.datastructures import Headers
from streamlit import config
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.exceptions import InvalidStatus

from dashboard import gate


@pytest.fixture(scope="module")
def live():
    with serving() as served:
        yield served


def test_the_id_of_a_session_is_no_key(live):
    owner, stranger = live.visitor(), live.visitor()
    tab = owner.join(query="data=wine")
    assert "alcohol" in tab.text()
    other = stranger.join(tab.session)
    assert other.session != tab.session
    assert "alcohol" not in other.text()
    assert live.runtime().is_active_session(tab.session)  # who tried has not thrown its owner out
    again = owner.join(tab.session)
    assert again.session == tab.session


def test_who_sends_no_cookie_comes_back_to_no_session(live):
    owner = live.visitor()
    tab = owner.join(Cookie=None)
    assert owner.join(tab.session, Cookie=None).session != tab.session


def test_nobody_says_who_they_are_by_a_header(live):
    owner, stranger = live.visitor(), live.visitor()
    tab = owner.join()
    forged = {gate.HEADER: name_of(owner)}
    assert stranger.join(tab.session, **forged).session != tab.session
    stranger.http.headers.update(forged)
    assert stranger.upload(tab.session, b"a,b\n1,2\n").status_code == 404


def test_files_are_taken_from_the_browser_of_the_session_only(live):
    owner, stranger = live.visitor(), live.visitor()
    tab = owner.join()
    assert stranger.upload(tab.session, b"a,b\n1,2\n").status_code == 404
    assert owner.upload(tab.session, b"a,b\n1,2\n").status_code == 204
    (kept,) = live.runtime().uploaded_file_mgr.get_files(tab.session, ["new.csv"])
    assert kept.data == b"a,b\n1,2\n"


def test_an_upload_of_megabytes_is_not_written_to_a_disk(live, monkeypatch):
    monkeypatch.setattr("tempfile.SpooledTemporaryFile.rollover", lambda file: pytest.fail("it goes to the disk"))
    owner = live.visitor()
    content = b"a,b\n" + b"1,2\n" * 1_000_000
    assert owner.upload(owner.join().session, content).status_code == 204


@pytest.mark.parametrize(
    "origin", [None, "http://127.0.0.1:1", "http://localhost:{port}", "http://example.org", "null"]
)
def test_web_sockets_of_other_pages_are_refused(live, origin):
    port = live.address.rpartition(":")[2]
    with pytest.raises(InvalidStatus) as refused:
        live.visitor().join(Origin=origin and origin.format(port=port))
    assert refused.value.response.status_code == 403


def test_an_origin_that_the_settings_name_is_let_in(live, monkeypatch):
    monkeypatch.setattr(gate.config, "get_option", lambda name: ["https://example.org"])
    assert gate.is_from_here("https://example.org", "127.0.0.1:1")
    assert not gate.is_from_here("https://example.org:444", "127.0.0.1:1")


@pytest.mark.parametrize("path", ["metrics", "script-health-check", "agent/interact", "agent/mcp", "anything"])
def test_what_is_not_for_visitors_is_not_there(live, path):
    assert live.visitor().get(f"/_stcore/{path}").status_code == 404


def test_the_app_takes_orders_from_no_other_page(live):
    assert live.visitor().get("/_stcore/host-config").json()["allowedOrigins"] == []


def test_the_cookie_is_for_the_server_only_and_stays(live):
    visitor = live.visitor()
    answer = live.visitor().get("/", Cookie=f"{gate.COOKIE}=made up")
    (cookie,) = (line for line in answer.raw.headers.getlist("set-cookie") if line.startswith(gate.COOKIE))
    assert cookie.endswith("Path=/; HttpOnly; SameSite=Lax")
    assert gate.COOKIE not in visitor.get("/").headers.get("set-cookie", "")


@pytest.mark.parametrize("foreign", ['prefs={"a":1}', "x=a b", "flag;", "u=a,b c", "a[b]=1", "n=\u00e9", "=", ""])
def test_cookies_of_other_programs_on_the_host_do_not_hide_ours(live, foreign):
    visitor = live.visitor()
    visitor.get("/")
    secret = visitor.http.cookies[gate.COOKIE]
    for header in (f"{foreign}; {gate.COOKIE}={secret}", f"{gate.COOKIE}={secret}; {foreign}"):
        assert gate._secret(Headers({"cookie": header})) == secret
    assert gate._secret(Headers({"cookie": f"{gate.COOKIE}=made up; {foreign}"})) is None


def test_a_message_about_all_visitors_reaches_nobody(live, monkeypatch):
    cleared = []
    monkeypatch.setattr("streamlit.runtime.caching.cache_resource.clear", lambda: cleared.append(True))
    tab = live.visitor().join(query="data=wine")
    tab.send(clear_cache=True)
    tab.heard.clear()
    tab.run()
    assert "alcohol" in tab.text()  # its own session is what it was, too
    assert cleared == []


def asked(*, fragment="", by_itself=False):
    """What a browser sends for a run."""
    message = BackMsg()
    message.rerun_script.fragment_id, message.rerun_script.is_auto_rerun = fragment, by_itself
    message.rerun_script.page_name = "new"
    return message.SerializeToString()


def ended(how):
    return ForwardMsg(script_finished=how).SerializeToString()


def begun(*fragments):
    message = ForwardMsg()
    message.new_session.name = "app"
    message.metadata.run.fragment_ids.extend(fragments)
    return message.SerializeToString()


LOOK = asked(fragment="f", by_itself=True)


@pytest.fixture
def runs(monkeypatch):
    """A page with a clock of its own."""
    made = gate.PageRuns()
    made.now = 1000.0
    monkeypatch.setattr(gate.time, "monotonic", lambda: made.now)
    return made


def test_nothing_looks_by_itself_while_a_page_is_drawn_and_shortly_after(runs):
    assert not runs.hold_back(LOOK)
    assert not runs.hold_back(asked())  # somebody opens a page
    for message in (begun(), begun("f"), ended(ForwardMsg.FINISHED_EARLY_FOR_RERUN)):
        runs.hear(message)
        runs.now += 5
        assert runs.hold_back(LOOK)
    runs.hear(ended(ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY))  # of the page before
    assert runs.hold_back(LOOK)
    runs.hear(ended(ForwardMsg.FINISHED_SUCCESSFULLY))
    assert runs.hold_back(LOOK)
    runs.now += 0.5
    assert not runs.hold_back(LOOK)


def test_what_a_person_presses_is_never_held_back(runs):
    assert not runs.hold_back(asked())
    assert not runs.hold_back(asked(fragment="f"))
    assert not runs.hold_back(BackMsg(stop_script=True).SerializeToString())
    assert runs.hold_back(LOOK)


def test_a_run_that_the_server_begins_counts_and_none_holds_back_for_ever(runs):
    runs.hear(begun("f"))
    assert not runs.hold_back(LOOK)
    runs.hear(begun())
    assert runs.hold_back(LOOK)
    runs.now += 61
    assert not runs.hold_back(LOOK)


def test_the_gate_stays_closed_when_files_of_settings_are_read_again(live):
    owner, thief = live.visitor(), live.visitor()
    config.get_config_options(force_reparse=True)
    tab = owner.join(query="data=wine")
    assert thief.upload(tab.session, b"a,b\n1,2\n").status_code == 404
    assert owner.upload(tab.session, b"a,b\n1,2\n").status_code == 204
