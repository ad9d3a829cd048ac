"""Make the table of models that have not seen a part of the training rows."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "folds",
        sa.Column("study_id", sa.String(40), nullable=False),
        sa.Column("model_id", sa.String(64), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("file", sa.String(64), nullable=False),
        sa.ForeignKeyConstraint(
            ["study_id", "model_id"],
            ["models.study_id", "models.model_id"],
            name="fk_folds_study_id",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("study_id", "model_id", "number", name="pk_folds"),
    )
    op.create_index("ix_folds_file", "folds", ["file"])
