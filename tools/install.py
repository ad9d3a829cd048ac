"""Install the project with an extra into the environment of this Python: ``python tools/install.py EXTRA``.

TensorFlow comes in a step of its own, because it has no files for some machines and Pythons: there everything else
works without it. One with support for graphics cards that is there already stays: the files of the two clash.
"""

from __future__ import annotations

import platform
import subprocess
import sys
import sysconfig
from importlib import invalidate_caches
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from installer import fetch_uv, install

PINNED = ["--constraint", "constraints.txt"]
TENSORFLOW = ("tensorflow", "tensorflow-cpu")
# What the project was asked to stand on.
STANDS_ON = ("streamlit", "plotly", "numpy", "scipy", "scikit-learn", "shap", "pandas")
# What is installed is not compiled then, but by all processors, and without the tests of strangers.
COMPILE = [sys.executable, "-m", "compileall", "-q", "-j", "0", "-x", r"packages.*[/\\]tests?[/\\]"]
WITHOUT = """\
TensorFlow is not installed: it has no files for Python {python} on {system} {machine}, or they could not be fetched.
Everything works without it but backend="tensorflow". To try again: {again}"""


def main(extra: str) -> int:
    """Install, compile and print what there is; the exit code is that of the step that failed."""
    own = ["--no-build-isolation", "--editable"]
    fetch_uv()
    for wanted in (["setuptools"], [*own, f".[{extra}]"]):
        if code := install(sys.executable, [*PINNED, *wanted]):
            return code
    if not found(TENSORFLOW[:1]):
        install(sys.executable, [*PINNED, "--only-binary=:all:", *own, ".[tensorflow-cpu]"])
    # Some files are no Python of today: what cannot be compiled is not imported either.
    subprocess.run([*COMPILE, sysconfig.get_path("purelib")], stdout=subprocess.DEVNULL, check=False)
    for stale in Path("proset").rglob("*.nb[ic]"):  # they name classes that may be called otherwise by now
        stale.unlink()
    if code := subprocess.run([sys.executable, "-m", "proset", "compile"], check=False).returncode:
        return code
    tensorflow = found(TENSORFLOW)
    if not tensorflow:
        again = f'{sys.executable} -m pip install "tensorflow-cpu>=2.18"'
        system, machine = platform.system(), platform.machine()
        print(WITHOUT.format(python=platform.python_version(), system=system, machine=machine, again=again))
    print("Installed: " + ", ".join([*found(STANDS_ON), *tensorflow]) + ".")
    return 0


def found(names: tuple[str, ...]) -> list[str]:
    """Return name and version of those of the packages that are installed."""
    invalidate_caches()
    there = []
    for name in names:
        try:
            there.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    return there


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
