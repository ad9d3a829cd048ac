"""The table: where it comes from, what its columns are for, how it is split."""
