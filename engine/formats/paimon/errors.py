"""Translate exceptions of storage and damaged metadata into errors of the domain that name the table."""

from functools import partial
from typing import Final

from engine.formats.intake.errors import reading_metadata

reading_table: Final = partial(reading_metadata, remedy="repair the table's metadata with a program that can read it")
"""Runs a block that reads one table's metadata; see `intake.errors.reading_metadata`."""
