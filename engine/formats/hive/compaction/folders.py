"""Folders of rewrites: `<table>/_compacted/<partition>/compaction_id=<n>/<task>`, hidden by their first part."""

import re
from collections.abc import Sequence
from typing import Final
from urllib.parse import quote

from engine.rewriting.kernel.storage.places import one_spelling

COMPACTED: Final = "_compacted"

_PLAIN: Final = " -_.~"


def folder_of(root: str, keys: Sequence[str], values: Sequence[str], number: int) -> str:
    """Return the folder of a partition's rewrites with a compaction id; each task execution makes a folder in it."""
    parts = (f"{quote(key, safe=_PLAIN)}={quote(value, safe=_PLAIN)}" for key, value in zip(keys, values, strict=True))
    return "/".join([root, COMPACTED, *parts, f"compaction_id={number}"])


def parent_of(path: str) -> str:
    """Return the folder of a file."""
    return path.rpartition("/")[0]


def plain(folder: str) -> str:
    """Return a folder in the spelling in which it is compared with others."""
    return one_spelling(folder) or folder


def attempt_of_folder(folder: str, run_id: str) -> int | None:
    """Return the number of the attempt of a run that a task's folder is of; None if it is none of the run."""
    found = re.search(rf"/{re.escape(run_id)}-[0-9]{{5,}}-([0-9]+)-[^/]*$", folder)
    return None if found is None else int(found[1])
