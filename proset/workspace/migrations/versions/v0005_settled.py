"""Let a record name the entries that it settles."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add the column; what was said before settles nothing."""
    op.add_column("records", sa.Column("settles", sa.Text(), nullable=False, server_default="[]"))
