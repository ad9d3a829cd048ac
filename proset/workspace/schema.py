"""Tables of the database. What stands here is what the migrations make; a test compares the two."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import (
    Boolean,
    DateTime,
    Double,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    String,
    Text,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

ID_LENGTH, HASH_LENGTH, ENTRY_LENGTH = 40, 64, 80
_WORD_LENGTH, _TIME_LENGTH = 20, 40
_NAMES = {
    "pk": "pk_%(table_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s",
    "ix": "ix_%(table_name)s_%(column_0_name)s",
}


class Base(DeclarativeBase):
    """All tables; constraints have names, so that a migration can change them."""

    metadata = MetaData(naming_convention=_NAMES)


class PlaceRow(Base):
    """The database itself: its id names the folder of its files, so that two databases can share one folder."""

    __tablename__ = "place"

    id: Mapped[str] = mapped_column(String(ID_LENGTH), primary_key=True)


class StudyRow(Base):
    """One study: its table, and what is chosen for it."""

    __tablename__ = "studies"

    id: Mapped[str] = mapped_column(String(ID_LENGTH), primary_key=True)
    name: Mapped[str] = mapped_column(Text)
    sample: Mapped[str | None] = mapped_column(Text)
    table_file: Mapped[str] = mapped_column(String(HASH_LENGTH), index=True)
    source_file: Mapped[str | None] = mapped_column(String(HASH_LENGTH), index=True)
    choices: Mapped[str] = mapped_column(Text)
    view: Mapped[str] = mapped_column(Text)
    facts: Mapped[str] = mapped_column(Text)
    version: Mapped[int] = mapped_column(Integer)
    created: Mapped[datetime] = mapped_column(DateTime)
    touched: Mapped[datetime] = mapped_column(DateTime, index=True)
    deleted: Mapped[datetime | None] = mapped_column(DateTime)


class ModelRow(Base):
    """One model of a study, by the hash of its content; the oldest has the lowest number."""

    __tablename__ = "models"

    study_id: Mapped[str] = mapped_column(ForeignKey("studies.id", ondelete="CASCADE"), primary_key=True)
    model_id: Mapped[str] = mapped_column(String(HASH_LENGTH), primary_key=True)
    number: Mapped[int] = mapped_column(Integer)
    file: Mapped[str] = mapped_column(String(HASH_LENGTH), index=True)
    created: Mapped[datetime] = mapped_column(DateTime)


class FoldRow(Base):
    """A model of a study that has not seen one fold of the training rows."""

    __tablename__ = "folds"
    __table_args__ = (
        ForeignKeyConstraint(["study_id", "model_id"], ["models.study_id", "models.model_id"], ondelete="CASCADE"),
    )

    study_id: Mapped[str] = mapped_column(String(ID_LENGTH), primary_key=True)
    model_id: Mapped[str] = mapped_column(String(HASH_LENGTH), primary_key=True)
    number: Mapped[int] = mapped_column(Integer, primary_key=True)
    file: Mapped[str] = mapped_column(String(HASH_LENGTH), index=True)


class WorkRow(Base):
    """Work on a study that has not ended, as far as it has come."""

    __tablename__ = "work"

    study_id: Mapped[str] = mapped_column(ForeignKey("studies.id", ondelete="CASCADE"), primary_key=True)
    content: Mapped[str] = mapped_column(Text)
    touched: Mapped[datetime] = mapped_column(DateTime)


class RecordRow(Base):
    """One verdict of a person: only ever added, and tied by its hash to the one before."""

    __tablename__ = "records"
    __table_args__ = (
        Index("ix_records_entry", "study_id", "entry", unique=True),
        Index("ix_records_row", "study_id", "row", "reviewer", "number"),
        Index("ix_records_takes_back", "study_id", "takes_back"),
    )

    study_id: Mapped[str] = mapped_column(ForeignKey("studies.id", ondelete="CASCADE"), primary_key=True)
    number: Mapped[int] = mapped_column(Integer, primary_key=True)
    entry: Mapped[str] = mapped_column(String(ENTRY_LENGTH))
    row: Mapped[int] = mapped_column(Integer)
    row_hash: Mapped[str] = mapped_column(String(HASH_LENGTH))
    label: Mapped[str | None] = mapped_column(Text)
    new_label: Mapped[str | None] = mapped_column(Text)
    verdict: Mapped[str] = mapped_column(String(_WORD_LENGTH))
    reasons: Mapped[str] = mapped_column(Text)
    note: Mapped[str] = mapped_column(Text)
    certainty: Mapped[str | None] = mapped_column(String(_WORD_LENGTH))
    cell: Mapped[str | None] = mapped_column(Text)
    takes_back: Mapped[str | None] = mapped_column(String(ENTRY_LENGTH))
    settles: Mapped[str] = mapped_column(Text, server_default="[]")
    reviewer: Mapped[str] = mapped_column(Text)
    at: Mapped[str] = mapped_column(String(_TIME_LENGTH))
    seconds: Mapped[float | None] = mapped_column(Double)
    model: Mapped[str] = mapped_column(String(HASH_LENGTH))
    settings: Mapped[str] = mapped_column(Text)
    said: Mapped[str | None] = mapped_column(Text)
    estimate: Mapped[float | None] = mapped_column(Double)
    unseen: Mapped[bool] = mapped_column(Boolean)
    hidden: Mapped[str] = mapped_column(Text)
    place: Mapped[str] = mapped_column(Text)
    previous: Mapped[str] = mapped_column(String(HASH_LENGTH))
    hash: Mapped[str] = mapped_column(String(HASH_LENGTH))
