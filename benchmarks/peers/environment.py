"""Makes the environments of other engines: ``python -m benchmarks.peers.environment``.

The published package gets ``.peers/``: it has the same name as the package measured here, so the two never share an
environment. The rivals of ``benchmarks/rivals`` get ``.rivals/``, those that need
torch or are large ``.rivals/networks/``. What explains the published package has one more, ``.shap/``, so that nothing
is loaded where the package is measured alone. The stand-in for the authors' gbmap has
``.peers/gbmap/``, which goes when ``.peers/`` is made anew and comes back when it is asked for. Nothing of these is
imported here.
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
    requirements : tuple of Path
        Lists of the pinned packages in it.
    holds : str
        What it is for, in words.
    complete : bool
        Whether the lists name everything that is needed: then nothing that they ask for themselves is installed.
    """

    folder: Path
    requirements: tuple[Path, ...]
    holds: str
    complete: bool = False

    def python(self) -> Path:
        """Return the interpreter, making the environment if it is missing or out of date."""
        place = self.folder.relative_to(ROOT)
        python, stamp = self.folder / "bin" / "python", self.folder / ".installed"
        subprocess.run(["sh", "tools/venv.sh", str(place)], cwd=ROOT, check=True)
        wanted = "".join(path.read_text() for path in self.requirements)
        if not stamp.exists() or stamp.read_text() != wanted:
            print(f"Installing {self.holds} into {place}/; the first time this takes a few minutes.")
            install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
            install += ["--no-deps"] if self.complete else []
            lists = [word for path in self.requirements for word in ("--requirement", str(path))]
            subprocess.run([str(python), *install, *lists], cwd=ROOT, check=True)
            stamp.write_text(wanted)
        return python


_PUBLISHED = Path(__file__).with_name("requirements.txt")
PUBLISHED = Environment(ROOT / ".peers", (_PUBLISHED,), "the published package")
SHAP = Environment(ROOT / ".shap", (_PUBLISHED, Path(__file__).with_name("shap_requirements.txt")), "the shap package")
GBMAP = Environment(
    ROOT / ".peers" / "gbmap",
    (Path(__file__).with_name("gbmap_requirements.txt"),),
    "the stand-in for the authors' gbmap",
)
RIVALS = Environment(ROOT / ".rivals", (ROOT / "benchmarks" / "rivals" / "requirements.txt",), "the rivals")
NETWORKS = Environment(
    ROOT / ".rivals" / "networks",
    (ROOT / "benchmarks" / "rivals" / "networks_requirements.txt",),
    "RealMLP, CatBoost and LightGBM",
    complete=True,
)
PROTOSELECT = Environment(
    ROOT / ".peers" / "protoselect",
    (Path(__file__).with_name("protoselect_requirements.txt"),),
    "ProtoSelect of alibi",
    complete=True,
)
DICE = Environment(
    ROOT / ".peers" / "dice",
    (Path(__file__).with_name("dice_requirements.txt"),),
    "dice-ml",
    complete=True,
)
LIME = Environment(
    ROOT / ".peers" / "lime",
    (Path(__file__).with_name("lime_requirements.txt"),),
    "LIME and KernelSHAP",
    complete=True,
)
NUMBERS = Environment(
    ROOT / ".peers" / "numbers",
    (Path(__file__).with_name("numbers_requirements.txt"),),
    "NGBoost, quantile forests, LightGBM and XGBoost",
    complete=True,
)


if __name__ == "__main__":
    for environment in (PUBLISHED, SHAP, GBMAP, RIVALS, NETWORKS, PROTOSELECT, DICE, LIME, NUMBERS):
        print(environment.python())
