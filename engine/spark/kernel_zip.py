"""Packs the code that Spark tasks import into one zip, so that executors need no installed Packhouse."""

import hashlib
import zipfile
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from typing import Final

_PACKAGES: Final = ("engine", "engine.rewriting", "engine.rewriting.kernel")
_WHOLE: Final = "engine.rewriting.kernel"
_EPOCH: Final = (1980, 1, 1, 0, 0, 0)


def write_kernel_zip(folder: Path) -> Path:
    """Write the zip into the folder and return its path: `engine/__init__.py`, `…/rewriting/__init__.py`, the kernel.

    Equal sources give equal bytes and an equal name (it carries their hash), because Spark takes an artifact twice only
    if it did not change.
    """
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, source in sorted(_sources().items()):
            archive.writestr(zipfile.ZipInfo(name, _EPOCH), source)
    content = buffer.getvalue()
    path = folder / f"packhouse-kernel-{hashlib.sha256(content).hexdigest()[:12]}.zip"
    path.write_bytes(content)
    return path


def _sources() -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for package in _PACKAGES:
        for entry in files(package).iterdir():
            if entry.name == "__init__.py" or (package == _WHOLE and entry.name.endswith(".py")):
                found[f"{package.replace('.', '/')}/{entry.name}"] = entry.read_bytes()
    return found
