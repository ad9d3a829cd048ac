"""Make the table of work that has not ended."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "work",
        sa.Column("study_id", sa.String(40), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("touched", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name="fk_work_study_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("study_id", name="pk_work"),
    )
