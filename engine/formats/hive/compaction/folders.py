"""Folders of rewrites: `<table>/_compacted/<partition>/compaction_id=<n>/<task>`, hidden by their first part."""

import hashlib
import re
from collections.abc import Sequence
from typing import Final
from urllib.parse import quote

from engine.rewriting.kernel.storage.places import one_spelling

COMPACTED: Final = "_compacted"

_PLAIN: Final = " -_.~"
_LONGEST_PART: Final = 200
_DOUBLED: Final = re.compile(r"(?<![:/])/{2,}")


def folder_of(root: str, keys: Sequence[str], values: Sequence[str], number: int) -> str:
    """Return the folder of a partition's rewrites with a compaction id; each task execution makes a folder in it."""
    parts = (f"{quote(key, safe=_PLAIN)}={quote(value, safe=_PLAIN)}" for key, value in zip(keys, values, strict=True))
    return "/".join([root, COMPACTED, *map(_shortened, parts), f"compaction_id={number}"])


def _shortened(part: str) -> str:
    """Return a part of a path that file systems accept: one that is too long ends with a hash of itself."""
    if len(part) <= _LONGEST_PART:
        return part
    return f"{part[: _LONGEST_PART // 2]}-{hashlib.sha256(part.encode()).hexdigest()[:16]}"


def parent_of(path: str) -> str:
    """Return the folder of a file."""
    return path.rpartition("/")[0]


def plain(folder: str) -> str:
    """Return a path in the spelling in which it is compared with others."""
    spelled = one_spelling(folder) or folder
    return _DOUBLED.sub("/", spelled).rstrip("/")


def attempt_of_folder(folder: str, run_id: str) -> int | None:
    """Return the number of the attempt of a run that a task's folder is of; None if it is none of the run."""
    found = re.search(rf"/{re.escape(run_id)}-[0-9]{{5,}}-([0-9]+)-[^/]*$", folder)
    return None if found is None else int(found[1])
