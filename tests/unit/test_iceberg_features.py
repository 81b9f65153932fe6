"""The features of Iceberg tables that are known, as data."""

from collections import Counter
from collections.abc import Mapping, Sequence

import pytest

from engine.formats.iceberg.features.fields import FIELDS
from engine.formats.iceberg.features.known import problems_of
from engine.formats.iceberg.features.properties import PROPERTIES
from engine.formats.iceberg.features.rows import Activity, Feature
from engine.formats.iceberg.intake.metadata_fields import fields_of


@pytest.mark.parametrize("features", [FIELDS, PROPERTIES])
def test_f45_a_feature_is_listed_once_and_names_a_remedy_if_it_forbids_something(features: Sequence[Feature]) -> None:
    counts = Counter(each.parameter.name.lower() for each in features)
    assert [name for name, count in counts.items() if count > 1] == []
    for each in features:
        assert bool(each.concerns) is bool(each.parameter.remedy) is (each.parameter.accepted is not None), each


@pytest.mark.parametrize(
    ("properties", "forbidden"),
    [
        ({"write.parquet.bloom-filter-enabled.column.a.b": "FALSE"}, set()),
        ({"write.parquet.bloom-filter-enabled.column.a.b": "true"}, {Activity.KERNEL}),
        ({"write.datafusion.fanout.enabled": "false"}, set()),
        ({"write.parquet.content-defined-chunking.enabled": "true"}, set()),
        ({"Write.New": "1"}, set(Activity) - {Activity.PROCEDURE}),
        ({"writer": "1", "history": "2"}, set()),
        ({"Delta-Version": "1"}, set(Activity)),
        ({"dq.rule": "1"}, set()),
    ],
)
def test_f45_a_property_forbids_only_what_it_concerns(properties: Mapping[str, str], forbidden: set[Activity]) -> None:
    """F45: outside of Iceberg's namespaces, only properties that are listed have a meaning."""
    assert {work for work in Activity if problems_of(work, {}, properties)} == forbidden


def test_f45_fields_are_found_at_any_depth() -> None:
    """F45: free texts of users are no fields."""
    nested = {"type": "struct", "fields": [{"id": 2, "strange": {"initial-default": {"own": 1}}}]}
    document = {
        "schema": {"fields": [{"id": 1, "type": nested, "doc": None}]},
        "refs": {"main": {"type": "branch", "lock": True}},
        "snapshots": [{"summary": {"free": "text"}}, {"late": 1}],
        "properties": {"free": "text"},
    }
    assert {name for name in fields_of(document) if "." in name} == {
        *("schemas.fields", "schemas.id", "schemas.type", "schemas.strange", "schemas.initial-default"),
        *("refs.type", "refs.lock", "snapshots.summary", "snapshots.late"),
    }
    assert fields_of([document]) == {}
