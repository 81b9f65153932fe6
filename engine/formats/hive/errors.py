"""Translate exceptions of one table's entry in a Metastore, and of its storage, into errors of the domain."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from thrift.Thrift import TException

from engine.formats.intake.catalogs.metastores.errors import condition_of, words_of
from engine.formats.intake.errors import reading_metadata

_REMEDY: Final = "correct the table's entry in the catalog"


@contextmanager
def reading_table(doing: str) -> Iterator[None]:
    """Run a block that reads one table's entry in the Metastore and lists its files.

    Raises:
        TableUnreadable: its metadata is damaged, too large or not supported.
        Away, CredentialsExpired, NotFound, StateConflict, Transient: Metastore or storage do not answer, or refuse.
    """
    with reading_metadata(doing, remedy=_REMEDY):
        try:
            yield
        except TException as error:
            raise condition_of(error, f"Could not {doing}: {words_of(error)}") from error
