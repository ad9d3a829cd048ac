"""Put into a wheel what lies beside the packages in a clone: the sample data and the settings of the dashboard."""

from __future__ import annotations

from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent
# Folder here -> (file pattern, folder in the wheel). Streamlit looks for its settings beside the script that it runs.
EXTRA_FILES = {
    "sample_data": ("*.csv*", "proset/sample_data"),
    ".streamlit": ("config.toml", "dashboard/.streamlit"),
}


class BuildWithData(build_py):
    """The usual build, then the extra files. An editable install reads them where they are."""

    def run(self) -> None:
        """Build the packages, then copy."""
        super().run()
        if self.editable_mode:
            return
        for folder, (pattern, goal) in EXTRA_FILES.items():
            target = Path(self.build_lib) / goal
            self.mkpath(str(target))
            for file in sorted((ROOT / folder).glob(pattern)):
                self.copy_file(str(file), str(target / file.name))


setup(cmdclass={"build_py": BuildWithData})
