"""Places and names of the files that Paimon and Packhouse write, by kind: only these can be orphans.

Paimon's own action deletes everything in its folders of data, manifests, indexes and statistics that nothing refers to,
whatever its name is; here a file of another program stays. Documents by which a table is found (schemas, snapshots,
tags, branches, consumers, hints) are never orphans, only what is left of writing a snapshot or a hint.
"""

import re
from collections.abc import Sequence
from typing import Final

from engine.formats.paimon.view import TableView
from engine.formats.removal.file_lists import FileKind
from engine.formats.removal.scopes import RECORDS

_UUID: Final = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_NUMBERED: Final = f"{_UUID}-[0-9]+"
_FORMATS: Final = "parquet|orc|avro|csv|json|text|lance|blob"
_COMPRESSION: Final = r"(?:\.[a-z0-9]{1,12}){0,2}"
"""Before the format: that of the file (`file.suffix.include.compression`), or the mark of a file of vectors."""

_ENDS: Final = rf"{_COMPRESSION}\.(?:{_FORMATS})(?:\.(?:gz|bz2|deflate|snappy|lz4|zst|xz))?"
_OF_POSTPONED: Final = "(?:-u-[^/]+-s-[0-9]+-w-)?"
"""Names of writers of `bucket = -2` after the prefix: their user and number (`PostponeBucketFileStoreWrite`)."""

_FILE_INDEX: Final = r"(?:(?:-[0-9]+)?\.index)?"
_BY_TASK: Final = "run_[0-9a-z]+-[0-9]{5,}-[0-9]+-"
"""Prefix of the names of files of Packhouse's tasks, see `domain.runs.output_names`."""

_TEMPORARY: Final = (
    rf"(?:\.(?:snapshot-[0-9]+|changelog-[0-9]+|EARLIEST|LATEST)\.(?:{_UUID}|[0-9a-f]{{32}})\.tmp"
    rf"|{_UUID}-(?:EARLIEST|LATEST)\.temp)"
)
DOCUMENTS: Final = ("schema", "snapshot", "changelog", "tag", "branch", "consumer", "service", RECORDS)
"""Folders of documents, in which files have no other names to be told of."""


def orphan_kinds(view: TableView) -> Sequence[tuple[FileKind, str]]:
    """Return each kind of files with a regular expression of their paths, for Arrow; the first that matches counts."""
    options, root = view.options, re.escape(view.files.location)
    folder = f"/{re.escape(options.data_directory)}" if options.data_directory else ""
    partition = "/[^/=]+=[^/]+" * len(view.schema.partition_keys)
    bucket = f"^{root}{folder}{partition}/bucket-(?:postpone|[0-9]+)/"
    changelog = f"{re.escape(options.changelog_prefix)}|changelog-|{_BY_TASK}[0-9]+-changelog-"
    data = f"(?:{re.escape(options.data_prefix)}|data-){_OF_POSTPONED}|{_BY_TASK}[0-9]+-"
    named = f"{_NUMBERED}{_ENDS}{_FILE_INDEX}"
    return [
        (FileKind.INDEX, f"(?:{bucket}|^{root}/index/)index-{_NUMBERED}$"),
        (FileKind.CHANGELOG, f"{bucket}(?:{changelog}){named}$"),
        (FileKind.DATA, f"{bucket}(?:(?:{data}){named}|{_BY_TASK}[0-9]+\\.parquet)$"),
        (FileKind.MANIFEST, f"^{root}/manifest/manifest-{_NUMBERED}$"),
        (FileKind.MANIFEST_LIST, f"^{root}/manifest/manifest-list-{_NUMBERED}$"),
        (FileKind.INDEX_MANIFEST, f"^{root}/manifest/index-manifest-{_NUMBERED}$"),
        (FileKind.STATISTICS, f"^{root}/statistics/stat-{_NUMBERED}$"),
        (FileKind.METADATA, f"^{root}(?:/branch/branch-[^/]+)?/(?:snapshot|changelog)/{_TEMPORARY}$"),
    ]


def of_documents(location: str) -> str:
    """Return a regular expression of the paths in folders of documents."""
    return f"^{re.escape(location)}/(?:{'|'.join(DOCUMENTS)})/"
