"""Read the files of a folder that others write to, such as a checkout in a CI job.

A link could name any file of the machine, whose lines an error message would then show in a log; a device or a pipe
has no end. So regular files below the folder are read, and at most a fixed number of bytes of each.
"""

import os
import stat
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Final

from packhouse.documents.yaml_reading import MOST_CHARACTERS
from packhouse.exit_codes import ExitCode
from packhouse.problems import CommandError

_MOST_BYTES: Final = 4 * MOST_CHARACTERS  # a character has at most four bytes in UTF-8
_FLAGS: Final = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


def texts_below(folder: Path, suffixes: Collection[str]) -> Iterator[tuple[Path, str]]:
    """Yield path and text of each file below a folder whose name ends with one of the suffixes, by path.

    Links, and folders that can't be listed, are refused, not passed over: objects declared there would count as
    undeclared, and `apply --prune` would delete them.

    Raises:
        CommandError: a link, a folder that can't be listed, or a file that is not regular, not UTF-8 or unreadable.
    """
    paths = list[Path]()
    for place, folders, names in os.walk(folder, onerror=_refuse_folder):
        for name in folders:
            _refuse_link(Path(place, name))
        paths += [path for name in names if (path := Path(place, name)).suffix in suffixes]
    for path in sorted(paths):
        yield path, text_of(path, most_bytes=_MOST_BYTES)


def text_of(path: Path, *, most_bytes: int) -> str:
    """Return the text of a regular file of at most a number of bytes.

    Raises:
        CommandError: it is a link, or not regular, too large, not UTF-8 or unreadable.
    """
    _refuse_link(path)
    try:
        with os.fdopen(os.open(path, _FLAGS), "rb") as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode):
                raise CommandError(f"{path} is not a regular file", ExitCode.USAGE, "move it out of the folder")
            if found.st_size > most_bytes:
                message = f"{path} has {found.st_size:,} bytes; {most_bytes:,} is the limit"
                raise CommandError(message, ExitCode.USAGE)
            return file.read(most_bytes).decode()
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{path} can't be read: {error}", ExitCode.USAGE) from None


def _refuse_folder(error: OSError) -> None:
    raise CommandError(f"{error.filename} can't be read: {error}", ExitCode.USAGE) from None


def _refuse_link(path: Path) -> None:
    if path.is_symlink():
        hint = "replace it by what it names: documents are read from regular files below the folder only"
        raise CommandError(f"{path} is a symbolic link", ExitCode.USAGE, hint)
