"""Folders of rewrites: `<table>/_compacted/<partition>/compaction_id=<n>/<task>`, hidden by their first part."""

from collections.abc import Sequence
from typing import Final
from urllib.parse import quote

COMPACTED: Final = "_compacted"

SENT: Final = "_sent-"
"""Names of empty files begin with it: one is written before each time that the Metastore is asked for a folder."""

_PLAIN: Final = " -_.~"


def folder_of(root: str, keys: Sequence[str], values: Sequence[str], number: int) -> str:
    """Return the folder of a partition's rewrites with a compaction id; each task execution makes a folder in it."""
    parts = (f"{quote(key, safe=_PLAIN)}={quote(value, safe=_PLAIN)}" for key, value in zip(keys, values, strict=True))
    return "/".join([root, COMPACTED, *parts, f"compaction_id={number}"])


def parent_of(path: str) -> str:
    """Return the folder of a file."""
    return path.rpartition("/")[0]
