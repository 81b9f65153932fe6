"""The storage format in the Metastore's entry of a table or partition: only what Parquet tables are known to state.

Another format often keeps Parquet files that its readers do not take as they are: Hudi's newest versions, Delta's live
files. Its entry differs from that of a Parquet table in a class or a parameter.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from hive_metastore.ttypes import StorageDescriptor

from engine.formats.hive.metadata.parameters import OF_SERDES, OF_TABLES

INPUT_FORMATS: Final = frozenset(
    {
        "org.apache.hadoop.hive.ql.io.parquet.MapredParquetInputFormat",
        "parquet.hive.DeprecatedParquetInputFormat",
        "parquet.hive.MapredParquetInputFormat",
    }
)
"""Java classes by which Hive reads Parquet files as they are; the last two are those of versions before 0.13."""

SERDES: Final = frozenset(
    {"org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe", "parquet.hive.serde.ParquetHiveSerDe"}
)
"""Java classes by which Hive makes rows of them."""

_OTHERS: Final = ("hudi", "hoodie", "delta", "iceberg", "paimon")
_LONGEST: Final = 200


@dataclass(frozen=True, slots=True)
class StorageEntry:
    """The part of an entry that states how files are read.

    `parameters` and `serde_parameters`: those of the storage descriptor and of its serde. `buckets`: columns of Hive's
    buckets. `skewed`: columns whose frequent values have folders of their own.
    """

    input_format: str
    serde: str
    parameters: Mapping[str, str]
    serde_parameters: Mapping[str, str]
    buckets: tuple[str, ...]
    skewed: tuple[str, ...]

    @staticmethod
    def of(stored: StorageDescriptor) -> "StorageEntry":
        """Return the storage of a table or partition."""
        serde, skewed = stored.serdeInfo, stored.skewedInfo
        return StorageEntry(
            input_format=str(stored.inputFormat or ""),
            serde=str((serde and serde.serializationLib) or ""),
            parameters=texts_of(stored.parameters),
            serde_parameters=texts_of(serde and serde.parameters),
            buckets=tuple(map(str, stored.bucketCols or ())),
            skewed=tuple(map(str, (skewed and skewed.skewedColNames) or ())),
        )

    @property
    def problem(self) -> str | None:
        """The reason why its files are not read as plain Parquet files; None if they are."""
        if self.input_format not in INPUT_FORMATS:
            return f"its files are not Parquet (input format {self.input_format[:_LONGEST] or 'none'})" + self._other
        if self.serde not in SERDES:
            return f"rows are not made of its Parquet files as they are (serde {self.serde[:_LONGEST] or 'none'})"
        return None

    @property
    def _other(self) -> str:
        found = next((each for each in _OTHERS if each in self.input_format.lower()), None)
        return "" if found is None else ": it is a table of another format, register it in a catalog of that format"

    def problems(self, meaningless: Sequence[str]) -> Iterator[str]:
        """Yield a clause for each of its statements with which files are not rewritten, apart from `problem`."""
        if self.skewed:
            yield f"values of {', '.join(self.skewed)[:_LONGEST]} have folders of their own (SKEWED BY)"
        yield from OF_TABLES.problems(self.parameters, meaningless, "storage descriptor: ")
        yield from OF_SERDES.problems(self.serde_parameters, meaningless, "serde: ")


def texts_of(parameters: Mapping[Any, Any] | None) -> Mapping[str, str]:
    """Return parameters as texts."""
    return {str(name): str(value) for name, value in (parameters or {}).items()}
