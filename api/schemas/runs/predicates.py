"""Partition predicates on the wire: the domain's own, with the limits that a body must keep."""

from typing import Annotated

from pydantic import AfterValidator, Field

from engine.domain.tables.predicates import PartitionPredicate, check_size

Partitions = Annotated[
    PartitionPredicate,
    AfterValidator(check_size),
    Field(
        description="Only partitions that fit it, as a whole. A value goes through the partition field's transform "
        "before it is compared: with a table by `day(ts)`, any time of a day stands for that day. Columns that are "
        "bucketed have no order. At most 8 levels and 500 values.",
        examples=[
            {"and": [{"column": "day", "op": "ge", "value": "2026-11-01"}, {"column": "region", "op": "is_null"}]}
        ],
    ),
]
