"""Folders of rewrites: `<table>/_compacted/<partition>/compaction_id=<n>/<task>`, hidden by their first part."""

import hashlib
import json
import os
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final
from urllib.parse import quote

from engine.rewriting.kernel.storage.places import normalise_uri
from engine.uris.locations import Location
from engine.uris.schemes import FILE

COMPACTED: Final = "_compacted"

MOST_OF_FOLDERS: Final = 3500
"""The most characters of both folders in the record of a rewrite, which the Metastore stores up to 4,000."""

_ANY_NUMBER: Final = 10**9
"""Stands for a compaction id, so that a plan and the task that follows it find the same length."""

LONGEST_PART: Final = 120
"""The most characters of the part of a folder for one partition key; Linux and HDFS allow 255 bytes, S3 1024 in all."""

_PLAIN: Final = " -_.~"
_HASH: Final = 16
_DOUBLED: Final = re.compile(r"(?<![:/])/{2,}")


def folder_of(root: str, keys: Sequence[str], values: Sequence[str], number: int) -> str:
    """Return the folder of a partition's rewrites with a compaction id; each task execution makes a folder in it."""
    parts = (_part(key, value) for key, value in zip(keys, values, strict=True))
    return "/".join([root, COMPACTED, *parts, f"compaction_id={number}"])


def names_problem(root: str, keys: Sequence[str], values: Sequence[str], folder: str) -> str | None:
    """Return why the Metastore can't store the record of a partition's rewrite, None if it can.

    `root`: the table's location. `folder`: the partition's.
    """
    size = len(json.dumps([folder_of(root, keys, values, _ANY_NUMBER), folder], ensure_ascii=False))
    if size <= MOST_OF_FOLDERS:
        return None
    return (
        f"its old and new folder have {size} characters, more than the {MOST_OF_FOLDERS} that the Metastore can store"
    )


def always_fitting(root: str, keys: int) -> int:
    """Return the length of a partition's folder up to which `names_problem` finds nothing, by the number of keys."""
    most_of_new = len(root) + len(COMPACTED) + keys * (LONGEST_PART + 1) + LONGEST_PART
    return MOST_OF_FOLDERS // 2 - most_of_new  # half: each character may be escaped


def _part(key: str, value: str) -> str:
    """Return the part of a folder for one key; a long one ends in a hash, as each letter of `日本` has 9 characters."""
    part = f"{quote(key, safe=_PLAIN)}={quote(value, safe=_PLAIN)}"
    if len(part) <= LONGEST_PART:
        return part
    return f"{part[: LONGEST_PART - _HASH - 1]}-{hashlib.sha256(part.encode()).hexdigest()[:_HASH]}"


def parent_of(path: str) -> str:
    """Return the folder of a file."""
    return path.rpartition("/")[0]


def normalise_folder(folder: str) -> str:
    """Return a path in the spelling in which it is compared with others."""
    return _DOUBLED.sub("/", normalise_uri(folder)).rstrip("/")


def is_same_folder(one: str, other: str) -> bool:
    """Return whether two paths are spellings of the same folder."""
    return normalise_folder(one) == normalise_folder(other)


def may_be_below(location: str, root: str) -> bool:
    """Return whether some engine may read files below `root` as those of a location; when in doubt True.

    A location is certainly elsewhere if it is in the same store, has a canonical form, and does not overlap with the
    root (`engine.uris.locations`), also without links of a local disk.
    """
    base, found = Location.of(root), Location.of(location)
    if base is None or found is None or (base.scheme, base.authority) != (found.scheme, found.authority):
        return True
    if found.scheme != FILE:
        return base.overlaps(found)
    resolved = _without_links(base, base.path)
    return any(resolved.overlaps(_without_links(found, path)) for path in (found.path, f"/{'/'.join(found.parts)}"))


def _without_links(location: Location, path: str) -> Location:
    return replace(location, path=os.path.realpath(path or "/"))


def attempt_of_folder(folder: str, run_id: str) -> int | None:
    """Return the number of the attempt of a run that a task's folder is of; None if it is none of the run."""
    found = re.search(rf"/{re.escape(run_id)}-[0-9]{{5,}}-([0-9]+)-[^/]*$", folder)
    return None if found is None else int(found[1])
