"""The columns of a table as Spark keeps them in table parameters: defaults of old files, buckets, metadata of columns.

Spark reads its own tables by these, and not by the columns of the entry.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from engine.formats.hive.metadata.parameters import OF_COLUMNS
from engine.formats.intake.limits import Malformed

_SCHEMA: Final = "spark.sql.sources.schema"
_DEFAULT: Final = "EXISTS_DEFAULT"
_NULL: Final = re.compile(r"\s*(?:null|cast\s*\(\s*null\s+as\s+[^()]*(?:\([^()]*\))?\s*\))\s*", re.IGNORECASE)
_MOST_PARTS: Final = 100_000


@dataclass(frozen=True, slots=True)
class SparkSchema:
    """The columns of one table in Spark; without any if Spark did not write the table.

    Attributes:
        types: the type by column at the top level, in lower case, with the partition keys; empty for nested ones.
        defaults: by name in lower case, the literal in SQL that Spark reads in files without the column.
        metadata: pairs of a field and the metadata that Spark keeps of it.
        buckets: Spark's buckets in words, empty without any.
    """

    types: Mapping[str, str] = field(default_factory=dict)
    defaults: Mapping[str, str] = field(default_factory=dict)
    metadata: Sequence[tuple[str, Mapping[str, str]]] = ()
    buckets: str = ""

    @staticmethod
    def of(parameters: Mapping[str, str]) -> "SparkSchema":
        """Return the schema in the parameters of a table.

        Raises:
            Malformed: it is not a schema of Spark.
        """
        text = _text(parameters)
        if text is None:
            return SparkSchema(buckets=_buckets(parameters))
        try:
            fields = json.loads(text)["fields"]
            described = [(str(each["name"]), _texts(each["metadata"])) for each in _described(fields)]
            columns = [(str(each["name"]).lower(), _texts(each.get("metadata") or {})) for each in fields]
            types = {str(each["name"]).lower(): each.get("type") for each in fields}
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise Malformed(f"its parameter {_SCHEMA} is not a schema of Spark") from error
        defaults = {name: metadata[_DEFAULT] for name, metadata in columns if _DEFAULT in metadata}
        return SparkSchema(
            types={name: of if isinstance(of, str) else "" for name, of in types.items()},
            defaults={name: literal for name, literal in defaults.items() if not _NULL.fullmatch(literal)},
            metadata=described,
            buckets=_buckets(parameters),
        )

    @property
    def columns(self) -> Sequence[str]:
        """Names of the columns at the top level, in lower case, with the partition keys."""
        return list(self.types)

    def problems(self, meaningless: Sequence[str]) -> Iterator[str]:
        """Yield a clause for each key of columns' metadata with which the table is not rewritten."""
        for name, metadata in self.metadata:
            yield from OF_COLUMNS.problems(metadata, meaningless, f"{_SCHEMA}: column {name[:100]}: ")


def _text(parameters: Mapping[str, str]) -> str | None:
    """Return the schema as JSON; Spark divides a long one into parts."""
    if _SCHEMA in parameters:
        return parameters[_SCHEMA]
    if (count := parameters.get(f"{_SCHEMA}.numParts")) is None:
        return None
    parts = [parameters.get(f"{_SCHEMA}.part.{at}") for at in range(_number(count))]
    if None in parts:
        raise Malformed(f"its parameter {_SCHEMA} lacks a part")
    return "".join(each for each in parts if each is not None)


def _number(text: str) -> int:
    if not re.fullmatch(r"\d{1,5}", text, re.ASCII):
        raise Malformed(
            f"its parameter {_SCHEMA} has {text[:20]!r} parts or buckets; at most {_MOST_PARTS - 1} are read"
        )
    return int(text)


def _buckets(parameters: Mapping[str, str]) -> str:
    if (count := parameters.get(f"{_SCHEMA}.numBuckets")) is None:
        return ""
    prefix = f"{_SCHEMA}.bucketCol."
    columns = ", ".join(sorted(value for name, value in parameters.items() if name.startswith(prefix)))
    return f"{count[:20]} buckets of Spark by {columns or 'no column'}"


def _described(fields: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the fields at all levels that have metadata."""
    left = [fields]
    while left:
        found = left.pop()
        if isinstance(found, list):
            left += found
        elif isinstance(found, dict):
            if found.get("metadata"):
                yield found
            left += [value for name, value in found.items() if name != "metadata"]


def _texts(metadata: Mapping[str, Any]) -> Mapping[str, str]:
    return {str(name): value if isinstance(value, str) else json.dumps(value) for name, value in metadata.items()}
