"""The folders that a table's files may be in, and whether a path is below one of them.

Paths in metadata and manifests are untrusted. A path counts as below a folder only if all readers agree on it: paths
are compared character by character after normalising the scheme, and a path that some reader would resolve to another
location (`..`, also percent-encoded, control characters, a host in a `file:` URI) is below no folder. Paths are not
percent-decoded for comparison, as they are not decoded to open a file.
"""

import re
from collections.abc import Iterable
from typing import Final

ONE_STORE: Final = {"s3a": "s3", "s3n": "s3", "gcs": "gs"}
"""Schemes that are aliases of another one."""

_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(.*)", re.DOTALL)
_SEPARATOR: Final = r"(?:[/\\]|%(?:25)*(?:2f|2F|5c|5C))"
UNCLEAR: Final = rf"[\x00-\x1f\x7f]|{_SEPARATOR}(?:\.|%(?:25)*(?:2e|2E)){{1,2}}(?:{_SEPARATOR}|$)"
"""A regular expression (of Python and of RE2) for what makes a path unclear: control characters, `.` and `..`."""

_UNCLEAR: Final = re.compile(UNCLEAR)


def one_spelling(uri: str) -> str | None:
    """Return the canonical spelling of a path for comparison; None if it is neither absolute nor of a store.

    `/x`, `file:/x` and `file:///x` are `file:/x`; `s3a:` and `s3n:` are `s3:`. A `file:` URI with a host has none:
    readers treat the host as a folder, or ignore it.
    """
    matched = _SCHEME.fullmatch(uri)
    scheme, rest = (matched[1].lower(), matched[2]) if matched else ("file", uri)
    if scheme == "file":
        if not rest.startswith("/") or (rest.startswith("//") and not rest.startswith("///")):
            return None
        return "file:" + re.sub("/+", "/", rest)
    return f"{ONE_STORE.get(scheme, scheme)}:{rest}" if rest.startswith("//") else None


class Places:
    """Folders, with everything below them."""

    def __init__(self, folders: Iterable[str]) -> None:
        self.folders = tuple(dict.fromkeys(folders))
        spelt = (one_spelling(folder) for folder in self.folders)
        self._prefixes = tuple(f"{each.rstrip('/')}/" for each in spelt if each is not None)

    def cover(self, uri: str) -> bool:
        """Return whether a path is below one of the folders, or is one of them."""
        spelt = one_spelling(uri)
        return spelt is not None and not _UNCLEAR.search(uri) and f"{spelt}/".startswith(self._prefixes)

    def __str__(self) -> str:
        """Return the folders as text, for messages."""
        return ", ".join(self.folders) or "no folder"
