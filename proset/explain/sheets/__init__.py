"""The same as tables of a workbook."""
