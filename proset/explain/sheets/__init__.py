"""Explanations as tables of a workbook."""
