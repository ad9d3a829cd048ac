"""The model in matrix terms: no table, no column names; fitting, evidence, measures, saved form."""
