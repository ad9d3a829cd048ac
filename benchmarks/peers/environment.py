"""Makes the environments of other engines: ``python -m benchmarks.peers.environment``.

The published package gets ``.peers/``: it has the same name as the package measured here, so the two never share an
environment. The rivals of ``benchmarks/rivals`` get ``.rivals/``. Nothing of either is imported here.
"""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Environment:
    """An environment of its own for what is measured beside ours.

    Attributes
    ----------
    folder : Path
        Where it is, below the root of the project.
    requirements : Path
        The pinned packages in it.
    holds : str
        What it is for, in words.
    """

    folder: Path
    requirements: Path
    holds: str

    def python(self) -> Path:
        """Return the interpreter, making the environment if it is missing or out of date."""
        python, stamp = self.folder / "bin" / "python", self.folder / ".installed"
        subprocess.run(["sh", "tools/venv.sh", self.folder.name], cwd=ROOT, check=True)
        if not stamp.exists() or stamp.read_text() != self.requirements.read_text():
            print(f"Installing {self.holds} into {self.folder.name}/; the first time this takes a few minutes.")
            install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
            subprocess.run([str(python), *install, "--requirement", str(self.requirements)], cwd=ROOT, check=True)
            stamp.write_text(self.requirements.read_text())
        return python


PUBLISHED = Environment(ROOT / ".peers", Path(__file__).with_name("requirements.txt"), "the published package")
RIVALS = Environment(ROOT / ".rivals", ROOT / "benchmarks" / "rivals" / "requirements.txt", "the rivals")


if __name__ == "__main__":
    for environment in (PUBLISHED, RIVALS):
        print(environment.python())
