"""Makes the published package's own environment, ``.peers/``: ``python -m benchmarks.peers.environment``.

It has the same name as the package measured here, so the two never share an environment. Nothing of it is imported
here.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
REQUIREMENTS = Path(__file__).with_name("requirements.txt")
FOLDER = ROOT / ".peers"


def peer_python() -> Path:
    """Return the interpreter of the published package's environment, making it if it is missing or out of date."""
    python, stamp = FOLDER / "bin" / "python", FOLDER / ".installed"
    subprocess.run(["sh", "tools/venv.sh", FOLDER.name], cwd=ROOT, check=True)
    if not stamp.exists() or stamp.read_text() != REQUIREMENTS.read_text():
        print(f"Installing the published package into {FOLDER.name}/; the first time this takes a few minutes.")
        install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement", str(REQUIREMENTS)]
        subprocess.run([str(python), *install], cwd=ROOT, check=True)
        stamp.write_text(REQUIREMENTS.read_text())
    return python


if __name__ == "__main__":
    print(peer_python())
