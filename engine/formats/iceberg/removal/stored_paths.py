"""Read manifest lists and manifests from the store, several at once, and decode them in batches of bounded size.

The files of kept snapshots must be readable: the first that is not ends the reading with an error that names it. Those
of expired snapshots may be gone, or damaged: their content is unknown then, they are counted and named, and the others
are read.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import pyarrow as pa
import structlog
from pyiceberg.io import FileIO

from engine.domain.errors import NotEligible
from engine.formats.iceberg.errors import decoding, is_of_content, summary_of
from engine.formats.intake.errors import decoding_bytes, printable_path
from engine.formats.intake.overlapping import overlapped
from engine.formats.removal.expired_files import DAMAGED, Unread

_log = structlog.get_logger(__name__)

_READERS: Final = 16
_BATCH_BYTES: Final = 32 * 2**20
_BATCH_FILES: Final = 512

Decode: TypeAlias = Callable[[Sequence[bytes]], pa.Table]


@dataclass(frozen=True, slots=True)
class StoredPaths:
    """Reads files of a table's metadata; `io` returns contents as `avro_blocks.readable` does."""

    io: FileIO

    def needed(self, paths: Sequence[str], decode: Decode) -> Iterator[pa.Table]:
        """Yield the decoded content of files of kept snapshots, of many files together.

        Raises:
            Malformed: a file is missing or damaged; the message names it.
            NotEligible: a file is outside of the locations that may be read.
            OSError: the store does not answer.
        """
        for some, bodies in _batches(paths, overlapped(self._body, paths, at_once=_READERS)):
            try:
                together = _decoded(decode, bodies)
            except BaseException as error:
                if not is_of_content(error):
                    raise
                for path, body in zip(some, bodies, strict=True):  # names the file with the fault
                    with decoding(path):
                        yield _decoded(decode, [body])
            else:
                yield together

    def left(self, paths: Sequence[str], decode: Decode, unread: Unread) -> Iterator[tuple[pa.Table, list[str]]]:
        """Yield the decoded content of files of expired snapshots with the paths that were read, many together.

        Files that are missing, damaged or outside of the locations that may be read are added to `unread`.

        Raises:
            OSError: the store does not answer.
        """
        found = overlapped(self._body_or_reason, paths, at_once=_READERS)
        for some, bodies in _batches(paths, _readable(paths, found, unread)):
            try:
                together = _decoded(decode, bodies)
            except BaseException as error:
                if not is_of_content(error):
                    raise
                yield from _one_by_one(some, bodies, decode, unread)
            else:
                yield together, some

    def _body(self, path: str) -> bytes:
        with decoding(path), self.io.new_input(path).open() as stream:
            return stream.read()

    def _body_or_reason(self, path: str) -> bytes | tuple[str, str]:
        """Return the content of a file; or why it is not read, as a code, and the error."""
        try:
            with self.io.new_input(path).open() as stream:
                return stream.read()
        except FileNotFoundError:
            return "missing", ""
        except NotEligible as error:
            return "outside", error.message
        except BaseException as error:
            if not is_of_content(error):
                raise
            return DAMAGED, _logged(path, error)


def _readable(paths: Sequence[str], found: Iterator[bytes | tuple[str, str]], unread: Unread) -> Iterator[bytes | None]:
    for path, one in zip(paths, found, strict=True):
        if isinstance(one, tuple):
            unread.add(path, *one)
            yield None
        else:
            yield one


def _batches(paths: Sequence[str], bodies: Iterator[bytes | None]) -> Iterator[tuple[list[str], list[bytes]]]:
    """Yield paths with their contents, which are decoded together; those without content are left out."""
    some: list[str] = []
    held: list[bytes] = []
    size = 0
    for path, body in zip(paths, bodies, strict=True):
        if body is None:
            continue
        some.append(path)
        held.append(body)
        size += len(body)
        if size >= _BATCH_BYTES or len(held) >= _BATCH_FILES:
            yield some, held
            some, held, size = [], [], 0
    if held:
        yield some, held


def _one_by_one(
    some: Sequence[str], bodies: Sequence[bytes], decode: Decode, unread: Unread
) -> Iterator[tuple[pa.Table, list[str]]]:
    for path, body in zip(some, bodies, strict=True):
        try:
            one = _decoded(decode, [body])
        except BaseException as error:
            if not is_of_content(error):
                raise
            unread.add(path, DAMAGED, _logged(path, error))
        else:
            yield one, [path]


def _decoded(decode: Decode, bodies: Sequence[bytes]) -> pa.Table:
    with decoding_bytes():
        return decode(bodies)


def _logged(path: str, error: BaseException) -> str:
    """Log an error of a file, and return it as text."""
    text = summary_of(error)
    _log.warning("expired_file_not_read", path=printable_path(path, end=True), error=text)
    return text
