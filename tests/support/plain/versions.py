"""The versions of a plain table: `versions/<number>.json`, written once and never changed."""

import base64
import json
import os
import uuid
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

import pyarrow as pa


@dataclass(frozen=True)
class PlainFile:
    """A live file. `version` added it."""

    path: str
    file_bytes: int
    record_count: int
    day: str
    version: int


@dataclass(frozen=True)
class Version:
    """The files of a table by path after one commit; `run`, `attempt` and `groups` are set by Packhouse's commits."""

    number: int
    at_ms: int
    kind: str
    files: Mapping[str, PlainFile]
    run: str | None = None
    attempt: int = 0
    groups: tuple[int, ...] = ()
    removed: Mapping[str, PlainFile] = field(default_factory=dict)
    added: Mapping[str, PlainFile] = field(default_factory=dict)

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @staticmethod
    def from_json(text: str) -> "Version":
        raw = json.loads(text)
        for name in ("files", "removed", "added"):
            raw[name] = {path: PlainFile(**one) for path, one in raw[name].items()}
        return Version(**{**raw, "groups": tuple(raw["groups"])})


@dataclass(frozen=True)
class TableInfo:
    """What never changes: identity and columns. `day` partitions the table and is in the files too."""

    uuid: str
    schema: pa.Schema


class VersionLog:
    """The folder of one table."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def create(self, schema: pa.Schema) -> None:
        (self.folder / "versions").mkdir(parents=True)
        encoded = base64.b64encode(schema.serialize().to_pybytes()).decode()
        (self.folder / "table.json").write_text(json.dumps({"uuid": str(uuid.uuid4()), "schema": encoded}))

    def info(self) -> TableInfo:
        """Raises FileNotFoundError without a table."""
        raw = json.loads((self.folder / "table.json").read_text())
        return TableInfo(raw["uuid"], pa.ipc.read_schema(pa.py_buffer(base64.b64decode(raw["schema"]))))

    def newest(self) -> int:
        """Return the number of the newest version, 0 without any."""
        return max((int(path.stem) for path in (self.folder / "versions").glob("*.json")), default=0)

    def read(self, number: int) -> Version | None:
        path = self._path(number)
        return Version.from_json(path.read_text()) if path.exists() else None

    def add(self, version: Version) -> bool:
        """Write a version; return False when another writer was first."""
        written = self.folder / f".{uuid.uuid4()}"
        written.write_text(version.to_json())
        try:
            os.link(written, self._path(version.number))
        except FileExistsError:
            return False
        finally:
            written.unlink()
        return True

    def _path(self, number: int) -> Path:
        return self.folder / "versions" / f"{number:08}.json"
