"""Commits of rewritten groups to a table of any Paimon catalog, and what the core finds afterwards."""

from typing import Any, TypeVar

from engine.formats.base import CommitOutcome, CommitRequest, WrittenGroup
from engine.formats.paimon.table import PaimonTable
from tests.support.paimon.lakes import PaimonLake
from tests.support.paimon.rewrites import RUN, opened
from tests.support.paimon.s3_lakes import S3Lake

OneLake = TypeVar("OneLake", bound=PaimonLake | S3Lake)


def keyed(lake: OneLake) -> OneLake:
    """Create a key table of one bucket with three sorted runs."""
    lake.create(primary_keys=["id"], bucket="1", write_only="true")
    for turn in range(3):
        lake.write([[number, "2026-11-01", turn + 0.5] for number in range(20)])
    return lake


def values(lake: PaimonLake | S3Lake) -> list[Any]:
    """Return the rows of a table, sorted."""
    return sorted(lake.call("values"))


def ids(lake: PaimonLake | S3Lake) -> list[int]:
    """Return the ids of the snapshots, in order."""
    return sorted(each["id"] for each in lake.call("snapshots"))


def sent(
    lake: PaimonLake | S3Lake, table: PaimonTable, groups: tuple[WrittenGroup, ...], tried: list[int] | None = None
) -> CommitOutcome:
    """Commit groups that were planned on a view of the table; `tried` gets an item before each try."""
    asked = CommitRequest(RUN, 1, table.head_snapshot_id or 0, table.schema_id, groups)
    before_try = (lambda: None) if tried is None else (lambda: tried.append(1))
    return opened(lake).commits.commit(asked, before_try=before_try)
