"""``python -m proset`` is the command ``proset``."""

from proset.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
