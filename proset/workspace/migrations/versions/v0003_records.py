"""Make the table of verdicts of people."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "records",
        sa.Column("study_id", sa.String(40), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("entry", sa.String(80), nullable=False),
        sa.Column("row", sa.Integer(), nullable=False),
        sa.Column("row_hash", sa.String(64), nullable=False),
        sa.Column("label", sa.Text()),
        sa.Column("new_label", sa.Text()),
        sa.Column("verdict", sa.String(20), nullable=False),
        sa.Column("reasons", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("certainty", sa.String(20)),
        sa.Column("cell", sa.Text()),
        sa.Column("takes_back", sa.String(80)),
        sa.Column("reviewer", sa.Text(), nullable=False),
        sa.Column("at", sa.String(40), nullable=False),
        sa.Column("seconds", sa.Double()),
        sa.Column("model", sa.String(64), nullable=False),
        sa.Column("settings", sa.Text(), nullable=False),
        sa.Column("said", sa.Text()),
        sa.Column("estimate", sa.Double()),
        sa.Column("unseen", sa.Boolean(), nullable=False),
        sa.Column("hidden", sa.Text(), nullable=False),
        sa.Column("place", sa.Text(), nullable=False),
        sa.Column("previous", sa.String(64), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name="fk_records_study_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("study_id", "number", name="pk_records"),
    )
    op.create_index("ix_records_entry", "records", ["study_id", "entry"], unique=True)
    op.create_index("ix_records_row", "records", ["study_id", "row", "reviewer", "number"])
    op.create_index("ix_records_takes_back", "records", ["study_id", "takes_back"])
