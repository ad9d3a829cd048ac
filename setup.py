"""What a distribution holds beside the packages: sample data, settings, and a description with addresses of its own."""

from __future__ import annotations

import os
import re
from email import message_from_string
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent
# Folder here -> (file pattern, folder in the wheel). Streamlit looks for its settings beside the script that it runs.
EXTRA_FILES = {
    "sample_data": ("*.csv*", "proset/sample_data"),
    ".streamlit": ("config.toml", "dashboard/.streamlit"),
}
VERSION = re.search(r'^version = "(.+)"$', (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE)[1]
# A picture that stands alone, and a link; neither leads anywhere outside a clone while its target is a path.
PICTURE = re.compile(r"^!\[([^\]]*)\]\((?!https?:)([^)]+)\)\n\n?", re.MULTILINE)
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((?!https?:)([^)]+)\)")


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


def repository() -> str | None:
    """Return the address of the repository: PROSET_REPOSITORY, or what a source distribution was made with."""
    address = os.environ.get("PROSET_REPOSITORY", "").rstrip("/")
    if not address and (ROOT / "PKG-INFO").is_file():
        urls = message_from_string((ROOT / "PKG-INFO").read_text(encoding="utf-8")).get_all("Project-URL") or []
        address = next((url.partition(", ")[2] for url in urls if url.startswith("Repository, ")), "")
    if address and not re.fullmatch(r"https://[\w.-]+(:\d+)?(/[\w.~-]+)+", address):
        raise SystemExit(f"PROSET_REPOSITORY={address!r} is no address like https://host/owner/name, without a user.")
    return address or None


def description(readme: str, address: str | None) -> str:
    """Make the text for an index: what leads into the repository gets its address, or is left out if it has none."""
    if address is None:
        return LINK.sub(r"\1", PICTURE.sub("", readme))
    readme = PICTURE.sub(rf"![\1]({address}/raw/v{VERSION}/\2)\n\n", readme)
    return LINK.sub(rf"[\1]({address}/blob/v{VERSION}/\2)", readme)


def urls(address: str | None) -> dict[str, str]:
    """Return the links beside the description."""
    if address is None:
        return {}
    return {"Repository": address, "Changelog": f"{address}/blob/v{VERSION}/CHANGELOG.md"}


ADDRESS = repository()
setup(
    cmdclass={"build_py": BuildWithData},
    long_description=description((ROOT / "README.md").read_text(encoding="utf-8"), ADDRESS),
    long_description_content_type="text/markdown",
    project_urls=urls(ADDRESS),
)
