"""A page with the queue alone, over made-up cases: keeps what arrives in a file and confirms what the file has."""

from __future__ import annotations

import fcntl
import json
import os
from pathlib import Path

import streamlit as st
from review_cases import make_queue

from dashboard.client import queue_state, review_queue_component

KEY = "queue"
FOLDER = Path(os.environ.get("REVIEW_FOLDER", "."))
AHEAD = 10
# As components/frame.css has it.
FRAME = """<style>[data-testid=stMainBlockContainer] {padding: 3.4rem 2rem 3rem}
[data-testid=stHeader] {background: transparent; height: 3rem}</style>"""


def chosen() -> dict:
    """The queue that the address asks for."""
    asked = st.query_params
    return make_queue(
        int(asked.get("n", "40")),
        int(asked.get("classes", "2")),
        hostile="hostile" in asked,
        picture="picture" in asked,
        blind="blind" in asked,
        spare=int(asked.get("spare", "8")),
    )


def keep(log: tuple[dict, ...]) -> bool:
    """Append what is new to the file; tell whether there was something."""
    refuse = st.query_params.get("refuse")
    name = FOLDER / f"{st.query_params.get('n', '40')}-{st.query_params.get('study', '')}.jsonl"
    new = []
    with name.open("ab+", buffering=0) as file:
        # A run that takes over begins before the one that it replaces has ended; the workspace has its own write lock.
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        known = {json.loads(line)["id"] for line in file}
        for entry in log:
            if refuse is not None and entry["note"] == refuse:
                st.session_state.setdefault("refused", {})[entry["id"]] = "The row has changed since. Open it again."
            elif entry["id"] not in known:
                new.append(json.dumps(entry) + "\n")
        file.write("".join(new).encode())  # at once: whoever reads meanwhile finds whole lines
    return bool(new)


def standing(kept: list[dict]) -> dict:
    """States of rows by what was kept."""
    back = {entry["takes_back"] for entry in kept}
    states = {}
    for entry in kept:
        if entry["verdict"] == "undone" or entry["id"] in back:
            continue
        state = "skipped" if entry["verdict"] == "skipped" else "done"
        told = ("verdict", "new_label", "note", "reasons", "certainty")
        states[str(entry["row"])] = {"state": state, "entry": entry["id"]} | {name: entry[name] for name in told}
    return states


def main() -> None:
    """Draw the page."""
    st.set_page_config(layout="wide")
    st.html(FRAME)
    keep(queue_state(st.session_state.get(KEY)).log)
    data = chosen()
    name = FOLDER / f"{st.query_params.get('n', '40')}-{st.query_params.get('study', '')}.jsonl"
    kept = [json.loads(line) for line in name.read_text().splitlines()] if name.exists() else []
    data["study"] += st.query_params.get("study", "")
    data["states"] = standing(kept)
    data["acked"] = [entry["id"] for entry in kept]
    if "at" in st.query_params:  # where the server believes that the visitor is
        data["at"] = data["rows"][int(st.query_params["at"])]
    data["refused"] = st.session_state.get("refused", {})
    if "late" in st.query_params:
        at = queue_state(st.session_state.get(KEY)).at
        rows = data["rows"]
        first = rows.index(at) if at in rows else 0
        near = {str(row) for row in rows[max(0, first - 1) : first + AHEAD]}
        if not (FOLDER / "evidence").exists():  # a test says when it comes
            near = {str(rows[0])}
        data["cases"] = {row: case for row, case in data["cases"].items() if row in near}
    if "input" in st.query_params:
        st.text_input("Words of the page")
    if "tick" in st.query_params:
        st.fragment(lambda: st.caption(str(len(kept))), run_every=1)()
    if "switch" in st.query_params:
        st.caption("Nothing else")
        if not st.checkbox("The queue is here", value=True):
            return
    # In the first run of a session, as after a restart, what the browser has is known only by now.
    if keep(review_queue_component(KEY, data).log):
        st.rerun()


if __name__ == "__main__":
    main()
