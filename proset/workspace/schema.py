"""Tables of the database. What stands here is what the migrations make; a test compares the two."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import DateTime, ForeignKey, Integer, MetaData, String, Text
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

ID_LENGTH, HASH_LENGTH = 40, 64
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


class WorkRow(Base):
    """Work on a study that has not ended, as far as it has come."""

    __tablename__ = "work"

    study_id: Mapped[str] = mapped_column(ForeignKey("studies.id", ondelete="CASCADE"), primary_key=True)
    content: Mapped[str] = mapped_column(Text)
    touched: Mapped[datetime] = mapped_column(DateTime)
