"""The steps from one version of the database to the next; Alembic walks them when a workspace is opened."""
