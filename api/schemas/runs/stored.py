"""Base of the wire models of documents that are stored with runs, and how such a document is read.

Records are of any version, and may be damaged: reading one never fails. A field that the record lacks, or whose value
does not fit, is null (or empty); a field that this version does not know is left out.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Annotated, Any, Final, Self, get_args

from pydantic import ConfigDict, Field, ValidationError
from typing_extensions import TypeAliasType

from api.schemas.common import Answer, Text
from engine.domain.runs.run import Operation

SnapshotId = Annotated[Text, Field(coerce_numbers_to_str=True)]
"""A snapshot id as text, as it exceeds 2^53; earlier records have numbers."""

_MOST_PASSES: Final = 8
"""Passes after which a damaged document counts as empty: more than the levels of any model here."""

_Path = tuple[int | str, ...]
_GONE: Final = object()


class StoredDocument(Answer):
    """A document of a stored run."""

    model_config = ConfigDict(json_schema_serialization_defaults_required=False)

    @classmethod
    def read(cls, document: object, **tags: object) -> Self:
        """Return a stored document as this model, without the values that do not fit.

        Args:
            document: the document; anything but a mapping counts as empty.
            tags: values of the fields that the document itself does not have.
        """
        kept: Any = {**document, **tags} if isinstance(document, Mapping) else tags
        for _ in range(_MOST_PASSES):
            try:
                return cls.model_validate(kept)
            except ValidationError as error:
                faults = error.errors(include_url=False, include_context=False, include_input=False)
                kept = _without(kept, [_place(each["loc"], each["type"]) for each in faults])
            if kept is _GONE:
                break
        return cls.model_validate(tags)


def by_operation(union: TypeAliasType) -> Mapping[Operation, type[StoredDocument]]:
    """Return the models of a union of documents by the operation that tags them."""
    (models, *_) = get_args(union.__value__)
    return {get_args(each.model_fields["operation"].annotation)[0]: each for each in get_args(models)}


def _place(location: _Path, kind: str) -> _Path:
    """Return the place of the value to remove: where a field is missing, that of the value that lacks it."""
    return location[:-1] if kind == "missing" else location


def _without(value: Any, places: Iterable[_Path]) -> Any:
    """Return a JSON value without the values at these places, or `_GONE` if it is one of them itself.

    A place may go on below a value without parts, with names of alternatives: the value counts then.
    """
    inner: dict[int | str, list[_Path]] = defaultdict(list)
    for place in places:
        if not place or not _has(value, place[0]):
            return _GONE
        inner[place[0]].append(place[1:])
    entries: Collection[tuple[Any, Any]] = value.items() if isinstance(value, dict) else list(enumerate(value))
    left = {key: _without(each, inner[key]) if key in inner else each for key, each in entries}
    kept = {key: each for key, each in left.items() if each is not _GONE}
    return kept if isinstance(value, dict) else list(kept.values())


def _has(value: Any, key: int | str) -> bool:
    match value:
        case dict():
            return key in value
        case list() | tuple():
            return isinstance(key, int) and key < len(value)
        case _:
            return False
