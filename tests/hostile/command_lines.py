"""Command lines that must end with one line on stderr, an exit code, and nothing written."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path


def stage(folder: Path, table: str, model: Path) -> None:
    """Fill a folder with what the command lines speak of."""
    (folder / "data.csv").write_text(table, encoding="utf-8")
    (folder / "x.search").write_text(table, encoding="utf-8")
    (folder / "empty.csv").write_text("")
    (folder / "text.csv").write_text("Dear all,\nplease find attached\n")
    shutil.copy(model, folder / "m.proset")
    shutil.copy(model, folder / "m.csv")
    (folder / "sub").mkdir()
    (folder / "folder").mkdir()
    os.symlink("data.csv", folder / "link.csv")
    os.symlink("link.csv", folder / "link of a link.csv")
    os.symlink("nowhere", folder / "dangling.csv")
    os.symlink("loop", folder / "loop")
    os.symlink("folder", folder / "folder link")
    os.link(folder / "data.csv", folder / "hard.csv")
    os.link(folder / "m.proset", folder / "hard model.csv")
    os.mkfifo(folder / "fifo")


@dataclass(frozen=True)
class Line:
    """A command line in the staged folder.

    ``{long}`` in an argument stands for 300 letters.
    """

    says: str
    arguments: tuple[str, ...]
    code: int = 1


def line(says: str, text: str, *more: str, code: int = 1) -> Line:
    """Write a command line as a person does; `more` are arguments that hold blanks or nothing."""
    return Line(says, (*text.split(), *more), code)


FIT = "fit data.csv -t outcome -o z.proset"

OVERWRITING = (
    line("'data.csv' is being read", "fit data.csv -t outcome -o data.csv"),
    line("same file as 'sub/../data.csv'", "fit ./sub/../data.csv -t outcome -o data.csv"),
    line("same file as 'data.csv'", "fit data.csv -t outcome -o ./sub/../data.csv"),
    line("same file as 'data.csv'", "fit data.csv -t outcome -o link.csv"),
    line("same file as 'link.csv'", "fit link.csv -t outcome -o data.csv"),
    line("same file as 'data.csv'", "fit data.csv -t outcome -o", "link of a link.csv"),
    line("same file as 'data.csv'", "fit data.csv -t outcome -o hard.csv"),
    line("same file as 'hard.csv'", "fit hard.csv -t outcome -o link.csv"),
    line("also the table", "fit x.search -t outcome -o x --search"),
    line("'data.csv' is being read", "fit data.csv -t outcome -o data.csv --search"),
    line("'m.proset' is being read", "score m.proset data.csv -o m.proset"),
    line("same file as 'm.proset'", "score m.proset data.csv -o", "hard model.csv"),
    line("'m.csv' is being read", "score m.csv data.csv -o m.csv"),
    line("'data.csv' is being read", "score m.proset data.csv -o data.csv"),
    line("same file as 'data.csv'", "score m.proset data.csv -o hard.csv"),
    line("same file as 'data.csv'", "score m.proset data.csv -o", "link of a link.csv"),
    line("'data.csv' is being read", "explain m.proset data.csv --row 1 -o data.csv"),
    line("same file as 'data.csv'", "explain m.proset data.csv --row 1 -o hard.csv"),
    line("'m.csv' is being read", "explain m.csv --row 1 -o m.csv"),
    line("same file as 'm.proset'", "explain m.proset --row 1 -o", "hard model.csv"),
    line("lies in the output folder", "score m.proset *.csv -o ."),
    line("lies in the output folder", "score m.proset *.csv -o sub/.."),
)

PLACES = (
    line("There is no file 'nosuch.csv'", "fit nosuch.csv -t outcome -o z.proset"),
    line("There is no file 'dangling.csv'", "fit dangling.csv -t outcome -o z.proset"),
    line("Too many levels of symbolic links", "fit loop -t outcome -o z.proset"),
    line("is a folder", "fit folder -t outcome -o z.proset"),
    line("is a folder", "fit", "folder link", "-t", "outcome", "-o", "z.proset"),
    line("'empty.csv' is empty", "fit empty.csv -t outcome -o z.proset"),
    line("not a table", "fit m.proset -t outcome -o z.proset"),
    line("'/dev/zero' is a device", "fit /dev/zero -t outcome -o z.proset"),
    line("'fifo' is a pipe", "fit fifo -t outcome -o z.proset"),
    line("is a folder", "fit", "", "-t", "outcome", "-o", "z.proset"),
    line("The folder 'nosuch' does not exist", "fit data.csv -t outcome -o nosuch/z.proset"),
    line("The folder 'nosuch/..' does not exist", "fit data.csv -t outcome -o nosuch/../z.proset"),
    line("The folder 'data.csv' does not exist", "fit data.csv -t outcome -o data.csv/z.proset"),
    line("'folder' is a folder. Name", "fit data.csv -t outcome -o folder"),
    line("'folder link' is a folder. Name", "fit data.csv -t outcome -o", "folder link"),
    line("The output has no name", "fit data.csv -t outcome -o", ""),
    line("The output has no name", "fit data.csv -t outcome -o ."),
    line("'/' is a folder", "fit data.csv -t outcome -o /"),
    line("File name too long", "fit data.csv -t outcome -o {long}"),
    line("No space left on device", "fit data.csv -t outcome -o /dev/full"),
    line("No such file", "score nosuch.proset data.csv"),
    line("'folder' is a folder, not a saved study", "score folder data.csv"),
    line("'fifo' is a pipe, not a saved study", "score fifo data.csv"),
    line("'/dev/zero' is a device, not a saved study", "score /dev/zero data.csv"),
    line("'/dev/null' is a device, not a saved study", "explain /dev/null --row 1"),
    line("'fifo' is a pipe, not a saved study", "explain fifo --row 1"),
    line("not a saved study", "score data.csv data.csv"),
    line("The file is empty", "score empty.csv data.csv"),
    line("is a folder, not a saved study", "score", "", "data.csv"),
    line("not a table", "score m.proset m.proset"),
    line("'/dev/zero' is a device", "score m.proset /dev/zero"),
    line("'fifo' is a pipe", "score m.proset fifo"),
    line("There is no file 'nosuch.csv'", "score m.proset nosuch.csv"),
    line("'folder' is a folder. Name", "score m.proset data.csv -o folder"),
    line("The folder 'nosuch' does not exist", "score m.proset data.csv -o nosuch/s.csv"),
    line("The output has no name", "score m.proset data.csv -o", ""),
    line("no known ending", "score m.proset data.csv -o s.exe"),
    line("File name too long", "score m.proset data.csv -o {long}.csv"),
    line("No space left on device", "score m.proset data.csv -o /dev/full"),
    line("need a folder", "score m.proset folder"),
    line("No file matches", "score m.proset folder -o out"),
    line("No file matches", "score m.proset nosuch*.csv -o out"),
    line("names a file", "score m.proset *.csv -o data.csv"),
    line("names a file", "score m.proset *.csv -o out.csv"),
    line("neither", "score m.proset data.csv --scheduler tcp://127.0.0.1:1"),
    line("neither", "score m.proset data.csv --format csv"),
    line("is no address", "score m.proset d*.csv -o out --scheduler http://h:1"),
    line("no known ending", "explain m.proset --row 1 -o r.doc"),
    line("no known ending", "explain m.proset --row 1 -o r"),
    line("The folder 'nosuch' does not exist", "explain m.proset --row 1 -o nosuch/r.csv"),
    line("'/dev/full' has no known ending", "explain m.proset --row 1 -o /dev/full"),
)

WORDS = (
    line("no column ''", "fit data.csv -o z.proset -t", ""),
    line("no column 'outcom'. Did you mean 'outcome'?", "fit data.csv -o z.proset -t outcom"),
    line("no column 'two lines'", "fit data.csv -o z.proset -t", "two\nlines"),
    line("no column", "fit data.csv -o z.proset -t", "a\x1b[31mred"),
    line("no column", "fit data.csv -o z.proset -t", "x\udcffy"),
    line("no column", "fit data.csv -o z.proset -t {long}{long}{long}"),
    line("no column", "fit data.csv -o z.proset -t", "![x](http://evil.example/a.png)"),
    line("no column 'nobody'", f"{FIT} --id nobody"),
    line("no column 'wards'", f"{FIT} --role wards=extra"),
    line("No column is the target", f"{FIT} --id outcome"),
    line("No column is the target", f"{FIT} --role outcome=numeric"),
    line("is a quantity", "fit data.csv -t age -o z.proset --set-aside 20"),
    line("no text encoding 'rot13'", f"{FIT} --encoding rot13"),
    line("no text encoding 'utf-99'", f"{FIT} --encoding utf-99"),
    line("no text encoding", f"{FIT} --encoding", ""),
    line("no text encoding 'punycode'", f"{FIT} --encoding punycode"),
    line("delimiter", f"{FIT} --delimiter", '"'),
    line("delimiter", f"{FIT} --delimiter", "\n"),
    line("no row ''", "explain m.proset --row", ""),
    line("no row '999999999999999999999'", "explain m.proset --row 999999999999999999999"),
    line("no row '-1'", "explain m.proset --row=-1"),
    line("no row 'nobody'", "explain m.proset data.csv --row nobody -o r.csv"),
    line("no row", "explain m.proset --row", "x\udcff"),
    line("no row", "explain m.proset --row {long}{long}"),
    line("not a saved study", "explain data.csv --row 1"),
    line("is no port", "app --port -1"),
    line("is no port", "app --port 99999"),
)

NUMBERS = (
    line("--batches is 1,000,000,000. Give a whole number from 0 to 100", f"{FIT} --batches 1000000000"),
    line("--batches is 101", f"{FIT} --batches 101"),
    line("--batches is -1", f"{FIT} --batches -1"),
    line("--candidates is 0", f"{FIT} --candidates 0"),
    line("--candidates is 5,001", f"{FIT} --candidates 5001"),
    line("num_candidates=5 is too small", f"{FIT} --candidates 5"),
    line("--candidates is 99,999,999,999,999,999,999", f"{FIT} --candidates 99999999999999999999"),
    line("--max-samples is 0", f"{FIT} --max-samples 0"),
    line("--seed is -1", f"{FIT} --seed -1"),
    line("--seed is 2,147,483,648", f"{FIT} --seed 2147483648"),
    line("--seed is 99,999,999,999,999,999,999", f"{FIT} --seed 99999999999999999999"),
    line("--lambda-v is nan", f"{FIT} --lambda-v nan"),
    line("--lambda-w is -1.0", f"{FIT} --lambda-w -1"),
    line("--alpha-v is 2.0", f"{FIT} --alpha-v 2"),
    line("--alpha-w is nan", f"{FIT} --alpha-w nan"),
    line("--max-fraction is 0.0", f"{FIT} --max-fraction 0"),
    line("--max-fraction is 1.0", f"{FIT} --max-fraction 1"),
    line("--test-fraction is 0.0", f"{FIT} --test-fraction 0"),
    line("--test-fraction is nan", f"{FIT} --test-fraction nan"),
    line("--test-fraction is inf", f"{FIT} --test-fraction inf"),
    line("--trials is 1000000000", f"{FIT} --search --method report --trials 1000000000"),
    line("--max-batches is 1000000000", f"{FIT} --search --max-batches 1000000000"),
    line("--folds is 1000000", f"{FIT} --search --folds 1000000"),
    line("--folds is 0", f"{FIT} --search --folds 0"),
    line("--jobs is 0", f"{FIT} --search --jobs 0"),
    line("--jobs is -1", f"{FIT} --search --jobs -1"),
    line("--lambda-v", f"{FIT} --search --lambda-v 1e-1,1e-6"),
    line("--lambda-v", f"{FIT} --search --lambda-v nan,1"),
    line("--lambda-w is a range", f"{FIT} --lambda-w 1e-9,1e-6"),
)

USAGE = (
    line("required", "", code=2),
    line("invalid choice", "dance", code=2),
    line("required", "fit data.csv", code=2),
    line("required", "score m.proset", code=2),
    line("required", "explain m.proset", code=2),
    line("unrecognized arguments", "score m.proset data.csv --frobnicate", code=2),
    line("invalid int value", "app --port abc", code=2),
    line("invalid int value", f"{FIT} --batches x", code=2),
    line("invalid int value", f"{FIT} --batches 1.5", code=2),
    line("invalid float value", f"{FIT} --alpha-v x", code=2),
    line("neither a number nor", f"{FIT} --lambda-v a,b", code=2),
    line("neither a number nor", f"{FIT} --lambda-v 1,2,3", code=2),
    line("is too large", f"{FIT} --lambda-v 1e300", code=2),
    line("is too large", f"{FIT} --lambda-v inf", code=2),
    line("is not COLUMN=ROLE", f"{FIT} --role ward", code=2),
    line("is not COLUMN=ROLE", f"{FIT} --role ward=king", code=2),
    line("is not one character", f"{FIT} --delimiter ab", code=2),
    line("is not one character", f"{FIT} --delimiter", "", code=2),
    line("invalid choice", f"{FIT} --decimal ;", code=2),
    line("invalid choice", f"{FIT} --backend cuda", code=2),
    line("invalid choice", "score m.proset folder -o out --format xlsx", code=2),
)

LINES = (*OVERWRITING, *PLACES, *WORDS, *NUMBERS, *USAGE)
