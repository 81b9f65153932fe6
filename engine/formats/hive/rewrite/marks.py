"""Marks of calls to the Metastore that may still be executed: empty, hidden files in the folder that a call names.

A mark is written before each call and removed once the call has its answer. A call without an answer is taken to be
executed within `SENT_SECONDS`, or never.
"""

import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Final
from uuid import uuid4

import pyarrow.compute as pc

from engine.formats.hive.files.stores import files_below
from engine.rewriting.kernel.storage.stores.addresses import address_of
from engine.rewriting.kernel.storage.stores.connections import files_of

SENT: Final = "_sent-"
"""Prefix of the names of marks."""

SENT_SECONDS: Final = 3600.0
"""Time for which the folder of a call without an answer is kept."""


def write_mark(folder: str, storage: Mapping[str, str]) -> str:
    """Write a mark and return its path. Raises OSError."""
    path = f"{folder}/{SENT}{uuid4().hex}"
    address = address_of(path)
    files_of(address.kind, address.place, storage).create(address.path).finish()
    return path


def remove_mark(path: str, storage: Mapping[str, str]) -> None:
    """Remove a mark: its call has an answer. A mark that stays makes others wait, so errors are left out."""
    address = address_of(path)
    with suppress(OSError):
        files_of(address.kind, address.place, storage).delete(address.path)


def fresh_marks(folder: str, storage: Mapping[str, str]) -> Iterator[str]:
    """Yield the paths of the marks below a folder whose calls may still be executed. Raises OSError."""
    now = time.time()
    since_us, until_us = (now - SENT_SECONDS) * 1e6, (now + SENT_SECONDS) * 1e6  # a later time is not a mark's
    for page in files_below(folder, storage):
        is_mark = pc.match_substring_regex(page["path"], rf"/{SENT}[^/]*$")
        is_fresh = pc.and_(
            pc.greater_equal(page["modified_us"], since_us), pc.less_equal(page["modified_us"], until_us)
        )
        yield from page.filter(pc.and_(is_mark, is_fresh))["path"].to_pylist()
