"""Pack the code that Spark tasks import into one zip, so that executors need no installed Packhouse."""

import hashlib
import zipfile
from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from io import BytesIO
from pathlib import Path
from typing import Final

_ROOT: Final = "engine"
_ROOMS: Final = ("outgoing", "rewriting", "uris")
_EPOCH: Final = (1980, 1, 1, 0, 0, 0)


def write_task_zip(folder: Path, *, with_libraries: bool = True) -> Path:
    """Write the zip into the folder and return its path.

    It contains `engine.outgoing`, `engine.rewriting`, `engine.uris`, the package `task` of each table format that has
    one, the `__init__` modules above these, and if asked the libraries of the compiled pass that were built.

    Equal sources give equal bytes and an equal name (which contains their hash), because Spark accepts an artifact a
    second time only if it is unchanged.
    """
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, source in sorted((_sources() | (_libraries() if with_libraries else {})).items()):
            archive.writestr(zipfile.ZipInfo(name, _EPOCH), source)
    content = buffer.getvalue()
    path = folder / f"packhouse-kernel-{hashlib.sha256(content).hexdigest()[:12]}.zip"
    path.write_bytes(content)
    return path


def _sources() -> dict[str, bytes]:
    """Return the modules by their paths in the zip."""
    root, formats = files(_ROOT), files(_ROOT) / "formats"
    found = {name: body for room in _ROOMS for name, body in _modules(root / room, f"{_ROOT}/{room}")}
    found |= {f"{_ROOT}/__init__.py": _source(root), f"{_ROOT}/formats/__init__.py": _source(formats)}
    for each in formats.iterdir():
        if (each / "task").is_dir():
            name = f"{_ROOT}/formats/{each.name}"
            found |= {f"{name}/__init__.py": _source(each), **dict(_modules(each / "task", f"{name}/task"))}
    return found


def merging_machines() -> tuple[str, ...]:
    """Return the kinds of machines for which a library was built, such as `x86_64`."""
    return tuple(each.name.removesuffix(".so").partition("-")[2] for each in libraries())


def _libraries() -> dict[str, bytes]:
    return {f"{_ROOT}/rewriting/compiled/lib/{each.name}": each.read_bytes() for each in libraries()}


def libraries() -> list[Traversable]:
    """Return the libraries of the compiled pass, one for each kind of machine for which it was built."""
    folder = files(_ROOT) / "rewriting" / "compiled" / "lib"
    return (
        sorted((each for each in folder.iterdir() if each.name.endswith(".so")), key=lambda each: each.name)
        if folder.is_dir()
        else []
    )


def _source(package: Traversable) -> bytes:
    return (package / "__init__.py").read_bytes()


def _modules(folder: Traversable, name: str) -> Iterator[tuple[str, bytes]]:
    """Yield the modules below a folder with their paths in the zip."""
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _modules(entry, f"{name}/{entry.name}")
        elif entry.name.endswith(".py"):
            yield f"{name}/{entry.name}", entry.read_bytes()
