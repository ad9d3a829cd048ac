"""Make the tables of studies and their models."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "place", sa.Column("id", sa.String(40), nullable=False), sa.PrimaryKeyConstraint("id", name="pk_place")
    )
    op.create_table(
        "studies",
        sa.Column("id", sa.String(40), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("sample", sa.Text()),
        sa.Column("table_file", sa.String(64), nullable=False),
        sa.Column("source_file", sa.String(64)),
        sa.Column("choices", sa.Text(), nullable=False),
        sa.Column("view", sa.Text(), nullable=False),
        sa.Column("facts", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("created", sa.DateTime(), nullable=False),
        sa.Column("touched", sa.DateTime(), nullable=False),
        sa.Column("deleted", sa.DateTime()),
        sa.PrimaryKeyConstraint("id", name="pk_studies"),
    )
    for column in ("table_file", "source_file", "touched"):
        op.create_index(f"ix_studies_{column}", "studies", [column])
    op.create_table(
        "models",
        sa.Column("study_id", sa.String(40), nullable=False),
        sa.Column("model_id", sa.String(64), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("file", sa.String(64), nullable=False),
        sa.Column("created", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name="fk_models_study_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("study_id", "model_id", name="pk_models"),
    )
    op.create_index("ix_models_file", "models", ["file"])
