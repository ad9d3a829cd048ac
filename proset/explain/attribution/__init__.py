"""Contributions of features to an estimate, a familiarity or an impact, beside a reference point."""
