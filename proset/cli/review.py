"""``proset review``: what people have said of the rows of a kept study, as a file and back, and checked."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from proset.cli.options import Commands, add_quiet
from proset.cli.paths import check_output
from proset.cli.studies import KEPT_WHERE, add_name, find_study, need_database, open_workspace
from proset.cli.terminal import complain, say
from proset.common.errors import ProsetError, StorageError
from proset.common.words import count_words, shown

if TYPE_CHECKING:
    from proset.workspace import Record


def add_to(commands: Commands) -> None:
    """Add the commands to the parser."""
    parser = commands.add_parser(
        "review",
        help="export, import and check what people have said of rows",
        description=f"Verdicts of people on rows of kept studies. {KEPT_WHERE}",
    )
    actions = parser.add_subparsers(title="actions", required=True, metavar="ACTION")
    _add_export(actions)
    _add_import(actions)
    _add_verify(actions)


def _add_export(actions: Commands) -> None:
    """Add ``proset review export``."""
    parser = actions.add_parser(
        "export",
        help="write the verdicts on a study to a file",
        description="Write all records to a file that people can read and that 'proset review import' reads back "
        "exactly. A text that a spreadsheet would run as a formula has an apostrophe in front. With a name that "
        "ends in .html it writes minutes to read: who, what changes, disputes, agreement, models.",
    )
    add_name(parser)
    parser.add_argument(
        "-o", "--output", type=Path, required=True, metavar="FILE", help="ends in .csv or .xlsx; in .html for minutes"
    )
    add_quiet(parser)
    parser.set_defaults(run=_export)


def _add_import(actions: Commands) -> None:
    """Add ``proset review import``."""
    parser = actions.add_parser(
        "import",
        help="take the verdicts in a file into a study",
        description="Add the verdicts in a file, exported or written by hand, to those that are kept. Nothing that is "
        "kept is changed; what does not fit is listed and left out. By hand a file needs the columns 'row' and "
        "'verdict' (table, model, other, both, faulty, undecidable or skipped), and may have 'new', 'note', "
        "'reasons' and 'reviewer'.",
    )
    add_name(parser)
    parser.add_argument("file", type=Path, metavar="FILE", help="CSV or workbook (.xlsx)")
    add_quiet(parser)
    parser.set_defaults(run=_import)


def _add_verify(actions: Commands) -> None:
    """Add ``proset review verify``."""
    parser = actions.add_parser(
        "verify",
        help="say whether records were changed afterwards",
        description="Compare the hashes of all records of a study, or of a file that was exported. The exit code is 1 "
        "if something was changed, removed or put in between. What was cut off at the end shows with --noted only: "
        "keep the last hash, which is printed, in another place.",
    )
    parser.add_argument("what", metavar="NAME|FILE", help="a study as 'proset list' shows it, or an exported file")
    parser.add_argument(
        "--noted", metavar="HASH", help="a last hash from before: is the record that bears it still there?"
    )
    parser.set_defaults(run=_verify)


def _export(args: argparse.Namespace) -> None:
    """Write the records of a study."""
    check_output(args.output, [])
    with open_workspace() as workspace:
        from proset.workspace.review_file import write_records

        card = find_study(workspace, args.name)
        records = workspace.records(card.id)
    if args.output.suffix.lower() == ".html":
        _write_minutes(records, card.name, args.output)
    else:
        write_records(records, args.output)
    if not args.quiet:
        complain(f"{count_words(len(records), 'record')} of '{shown(card.name)}' written to {args.output}")


def _write_minutes(records: tuple[Record, ...], name: str, path: Path) -> None:
    """Write the minutes of a review."""
    from proset.common.files import replacing
    from proset.report.html_file import to_html
    from proset.report.minutes import review_minutes

    with replacing(path) as draft:
        draft.write_text(to_html(review_minutes(records, name)), encoding="utf-8")


def _import(args: argparse.Namespace) -> None:
    """Take the verdicts in a file."""
    with open_workspace() as workspace:
        from proset.workspace.review_file import read_lines
        from proset.workspace.review_import import import_lines

        card = find_study(workspace, args.name)
        done = import_lines(workspace, card.id, read_lines(args.file))
    for problem in done.problems:
        complain(problem)
    if not args.quiet:
        added = count_words(len(done.added), "record")
        complain(f"{added} added to '{shown(card.name)}', {done.n_known:,} there before")
        if done.rechained:
            complain("note: they stand behind other records than in the file, so their hashes are new")
    if done.problems:
        raise ProsetError(
            f"{count_words(len(done.problems), 'line')} of '{shown(args.file, 200)}' not taken.",
            hint="They are listed above; all others are kept.",
        )


def _verify(args: argparse.Namespace) -> None:
    """Say what is wrong with records, or that nothing is."""
    records, problems = _records(args.what)
    from proset.workspace.chain import verify

    problems += verify(records)
    noted = None if args.noted is None else args.noted.strip().lower()
    if noted is not None and all(record.hash != noted for record in records):
        problems.append(f"No record has the hash '{shown(noted, 64)}': it was cut off, or all were written anew.")
    for problem in problems:
        say(problem)
    if problems:
        raise ProsetError(
            f"The records of '{shown(args.what, 200)}' are not as they were written.",
            hint="Compare them with an export from before.",
        )
    last = f"; the last hash is {records[-1].hash}" if records else ""
    say(f"{count_words(len(records), 'record')}, nothing was changed{last}")


def _records(name: str) -> tuple[tuple[Record, ...], list[str]]:
    """Return the records of a study or of a file, and what cannot be read of it.

    Raises
    ------
    StorageError
        If both a study and a file have the name, or neither.
    """
    need_database()
    path = Path(name)
    if path.is_file() and path.parts != (name,):
        return _filed(path)
    if not path.is_file():
        with open_workspace() as workspace:
            return workspace.records(find_study(workspace, name).id), []
    if _is_study(name):
        raise StorageError(
            f"Both a study and a file are called '{shown(name, 200)}'.",
            hint=f"Write ./{shown(name, 200)} for the file, or the study's id, which 'proset list' shows.",
        )
    return _filed(path)


def _is_study(name: str) -> bool:
    """Tell whether a kept study has a name; nothing is kept where no workspace can be opened."""
    try:
        with open_workspace() as workspace:
            return any(name in (card.id, card.name) for card in workspace.cards())
    except ProsetError:
        return False


def _filed(path: Path) -> tuple[tuple[Record, ...], list[str]]:
    """Return the records that an exported file holds, by their numbers, and the lines that are none."""
    from proset.workspace import RefusedJudgementError
    from proset.workspace.review_file import read_lines

    records, problems = [], []
    for line in read_lines(path):
        try:
            if not line.exported:
                line.refuse("It has no number and hashes, so nothing can be said about it")
            records.append(line.record())
        except RefusedJudgementError as error:
            problems.append(f"{line.name}: {error}")
    return tuple(sorted(records, key=lambda record: record.number)), problems
