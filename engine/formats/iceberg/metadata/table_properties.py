"""Read the table's own properties as policy fields and write settings. Unusable values are ignored and reported."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from engine.domain.policies import OFF
from engine.formats.iceberg.metadata.history import is_count
from engine.formats.intake.table_settings import IgnoredProperty, rewrite_setting
from engine.rewriting.kernel.contract import WriteSettings
from engine.rewriting.kernel.writing.layout import MIN_ROW_GROUP_BYTES

_TARGET: Final = "write.target-file-size-bytes"
_CODEC: Final = "write.parquet.compression-codec"
_LEVEL: Final = "write.parquet.compression-level"
_ROW_GROUP: Final = "write.parquet.row-group-size-bytes"
_SIZES: Final = {
    _ROW_GROUP: "row_group_bytes",
    "write.parquet.page-size-bytes": "page_bytes",
    "write.parquet.dict-size-bytes": "dictionary_page_bytes",
}
_ZSTD_LEVEL: Final = "3"  # Iceberg's own default for zstd


@dataclass(frozen=True, slots=True)
class PropertyReading:
    """Settings for rewrites read from a table's properties."""

    policy: Mapping[str, Any]
    sizes: Mapping[str, int]
    ignored: tuple[IgnoredProperty, ...]

    def applied_to(self, write: WriteSettings) -> WriteSettings:
        """Return the write settings with the sizes from the table's properties."""
        return replace(write, **self.sizes)  # type: ignore[arg-type]


def read_properties(properties: Mapping[str, str]) -> PropertyReading:
    """Return policy fields by dotted name, sizes by field of `WriteSettings`, and the ignored properties."""
    policy: dict[str, Any] = {}
    sizes: dict[str, int] = {}
    ignored: list[IgnoredProperty] = []
    if (target := properties.get(_TARGET)) is not None:
        number = _number(target)
        _accept("target_file_bytes", target if number is None else number, (_TARGET, target), policy, ignored)
    codec, level = properties.get(_CODEC), properties.get(_LEVEL)
    if codec is not None or level is not None:
        source = (_CODEC, codec) if codec is not None else (_LEVEL, str(level))
        _accept("compression", _compression((codec or "zstd").lower(), level), source, policy, ignored)
    for name, setting in _SIZES.items():
        value = properties.get(name)
        if value is not None and (size := _number(value)):
            sizes[setting] = size
        elif value is not None:
            ignored.append(IgnoredProperty.of(name, value, "not a number of bytes above 0"))
    if sizes.get("row_group_bytes", MIN_ROW_GROUP_BYTES) < MIN_ROW_GROUP_BYTES:
        policy["rewrite.small_row_group_bytes"] = OFF  # its writers are configured to make them small
    return PropertyReading(policy, sizes, tuple(ignored))


def _number(text: str) -> int | None:
    """Return a number of bytes; None if the text is not one. Python refuses to convert more than 4,300 digits."""
    return int(text) if is_count(text) else None


def _compression(codec: str, level: str | None) -> str:
    codec = {"none": "uncompressed"}.get(codec, codec)
    if codec not in {"zstd", "gzip"}:
        return codec  # the others have no levels
    level = level if level is not None else _ZSTD_LEVEL if codec == "zstd" else None
    return codec if level is None else f"{codec}:{level}"


def _accept(
    field: str, value: Any, source: tuple[str, str], policy: dict[str, Any], ignored: list[IgnoredProperty]
) -> None:
    name, written = source
    found = rewrite_setting(field, value, name=name, written=written)
    if isinstance(found, IgnoredProperty):
        ignored.append(found)
    else:
        policy[f"rewrite.{field}"] = found
