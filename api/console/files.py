"""Read the built web console into memory. Paths of requests are keys of a mapping and never reach the file system.

The files come from the first of these folders that has an `index.html`: the folder of `PACKHOUSE_CONSOLE_DIR`, which is
then the only one; `console_files` in this package, where a wheel has them; `clients/console/dist` of a checkout.

A build is read at the first request for it (about 0.2 s in a thread), and again when it has changed. It is less
than 3 MB; a folder with more than `MOST_BYTES` is refused, so that a wrong setting can't fill the memory.
"""

import asyncio
import gzip
import os
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import structlog

PAGE: Final = "index.html"
MOST_BYTES: Final = 64 * 2**20
MEDIA_TYPES: Final[Mapping[str, str]] = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".map": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}
"""Media type of each kind of file that is served; the host's own table of types is not used."""

_PACKAGE: Final = Path(__file__).parents[1]
_PLACES: Final = (_PACKAGE / "console_files", _PACKAGE.parent / "clients" / "console" / "dist")
_ASSETS: Final = "assets/"
_log = structlog.get_logger(__name__)

Stamp = tuple[tuple[Path, int, int], ...]
"""Path, time of change and size of what a build changes in any case."""


@dataclass(frozen=True, slots=True)
class ServedFile:
    """A served file, also compressed."""

    content: bytes
    gzipped: bytes
    media_type: str


@dataclass(frozen=True, slots=True)
class Build:
    """A build of the console: its page, and its other files by their paths below the console's folder."""

    page: str
    files: Mapping[str, ServedFile]

    def has_page_at(self, path: str) -> bool:
        """Return whether a path is the page's: neither below the folder of assets nor named like a file."""
        return not path.startswith(_ASSETS) and Path(path).suffix.lower() not in MEDIA_TYPES


class Console:
    """The console's newest build. `folder` replaces the usual places."""

    def __init__(self, folder: Path | None = None) -> None:
        self._places = _PLACES if folder is None else (folder,)
        self._lock = threading.Lock()
        self._stamp: Stamp | None = None
        self._build: Build | None = None

    async def newest(self) -> Build | None:
        """Return the build, None if there is none. Reads it in a thread when it is new."""
        return await asyncio.to_thread(self._newest)

    async def is_built(self) -> bool:
        """Return whether there is a build, without reading it."""
        return await asyncio.to_thread(self._newest_stamp) is not None

    def _newest_stamp(self) -> Stamp | None:
        return next(filter(None, map(_stamp_of, self._places)), None)

    def _newest(self) -> Build | None:
        with self._lock:
            stamp = self._newest_stamp()
            if stamp != self._stamp:
                self._build = None if stamp is None else _read(stamp[0][0].parent)
                self._stamp = stamp
            return self._build


def is_immutable(path: str) -> bool:
    """Return whether a file's name has a hash of its content."""
    return path.startswith(_ASSETS)


def _stamp_of(folder: Path) -> Stamp | None:
    """Return the state of a folder's page and of its list of assets; None without a page."""
    try:
        found = [(path, path.stat()) for path in (folder / PAGE, folder)]
        if (folder / _ASSETS).is_dir():
            found.append((folder / _ASSETS, (folder / _ASSETS).stat()))
    except OSError:
        return None
    return tuple((path, stat.st_mtime_ns, stat.st_size) for path, stat in found)


def _read(folder: Path) -> Build | None:
    try:
        files = dict(_files_below(folder))
        page = files.pop(PAGE).content.decode()
    except (OSError, ValueError, KeyError) as error:
        _log.error("console_not_readable", folder=str(folder), error=str(error))
        return None
    return Build(page, files)


def _files_below(folder: Path) -> Iterator[tuple[str, ServedFile]]:
    """Yield the files that can be served. Symbolic links are left out: they could name any file.

    Raises:
        ValueError: the files are larger than a console can be.
        OSError: a file can't be read.
    """
    total = 0
    for place, _, names in os.walk(folder):
        for path in (Path(place, name) for name in names):
            media_type = MEDIA_TYPES.get(path.suffix.lower())
            if media_type is None or path.is_symlink():
                continue
            total += path.stat().st_size
            if total > MOST_BYTES:
                raise ValueError(f"more than {MOST_BYTES} bytes of files: PACKHOUSE_CONSOLE_DIR is another folder")
            content = path.read_bytes()
            yield path.relative_to(folder).as_posix(), ServedFile(content, gzip.compress(content, mtime=0), media_type)
