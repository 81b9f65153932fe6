"""Filters of table lists, read from query parameters."""

from typing import Annotated

from fastapi import Depends, Query

from api.listing.filters import CatalogFilter, OwnerTeamFilter
from api.listing.query_values import TextFlag
from engine.domain.errors import FieldProblem, InvalidInput
from engine.domain.tables.table import TableFilter

_Label = Annotated[str, Query(max_length=511, json_schema_extra={"pattern": "^[^:]+:"})]


async def table_filter(
    catalog: CatalogFilter = None,
    namespace: Annotated[
        list[Annotated[str, Query(min_length=1, max_length=255)]] | None,
        Query(max_length=16, description="Once for each level, outer first; needs `catalog`."),
    ] = None,
    name: Annotated[
        str | None, Query(min_length=1, max_length=255, description="With `catalog` and `namespace`: the one table.")
    ] = None,
    owner_team: OwnerTeamFilter = None,
    label: Annotated[list[_Label] | None, Query(max_length=5, description="`key:value`; several: all of them.")] = None,
    *,
    search: Annotated[
        str | None,
        Query(
            min_length=1,
            max_length=200,
            pattern=r"^[^\u0000-\u001f\u007f]+$",  # names have no control characters
            description="Only tables with this text in their address, such as `shop.ord` in `lake.shop.orders`; "
            "ASCII letters match in either case.",
            examples=["shop.ord"],
        ),
    ] = None,
    paused: Annotated[TextFlag | None, Query(description="Only paused tables, or only others.")] = None,
    frozen: Annotated[TextFlag | None, Query(description="Only frozen tables, or only others.")] = None,
) -> TableFilter:
    """Read the filters of a request.

    Raises:
        InvalidInput: a label is not `key:value`, or its key is given with two values.
    """
    return TableFilter(
        catalog=catalog,
        namespace=None if namespace is None else tuple(namespace),
        name=name,
        owner_team=owner_team,
        labels=_labels(label or []),
        is_paused=paused,
        is_frozen=frozen,
        search=search,
    )


TableFilterQuery = Annotated[TableFilter, Depends(table_filter)]


def read_label(text: str, *, name: str = "label") -> tuple[str, str]:
    """Return key and value of a label that is written `key:value` in the parameter `name`, or raise `InvalidInput`."""
    key, colon, value = text.partition(":")
    if not key or not colon:
        raise _wrong("a label is written key:value", text, name)
    return key, value


def _labels(texts: list[str]) -> dict[str, str]:
    labels: dict[str, str] = {}
    for text in texts:
        key, value = read_label(text)
        if labels.setdefault(key, value) != value:
            raise _wrong(f"a table has one value of the label {key!r}, so none has both", text)
    return labels


def _wrong(message: str, text: str, name: str = "label") -> InvalidInput:
    problem = FieldProblem(f"query:{name}", message, text, f"for example {name}=tier:gold")
    return InvalidInput("the label filter can't be used", problems=(problem,))
