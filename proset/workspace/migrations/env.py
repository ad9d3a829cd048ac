"""Entry of Alembic: runs the steps on the connection that the workspace has opened."""

from alembic import context

from proset.workspace.schema import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    render_as_batch=True,  # SQLite changes a table by making it anew
)
context.run_migrations()
