"""The versions of a policy: list, compare with the version before, and restore."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from engine.domain.errors import FieldProblem, InvalidInput, NotFound
from engine.domain.policies import Difference, differences
from engine.domain.policy_versions import PolicyVersion
from engine.stores.unit_of_work import UnitOfWork


@dataclass(frozen=True, slots=True)
class ComparedVersion:
    """A version with the settings that it changed against the version before it."""

    version: PolicyVersion
    changes: tuple[Difference, ...]


async def list_versions(unit: UnitOfWork, name: str, *, before: int | None, limit: int) -> Sequence[ComparedVersion]:
    """Return versions with their changes, newest first, at most `limit`, older than `before`."""
    found = await unit.policies.list_versions(name, before, limit + 1)
    return [_compared(version, previous) for version, previous in zip_longest(found[:limit], found[1:])]


async def get_version(unit: UnitOfWork, name: str, version: int) -> ComparedVersion:
    """Return one version with its changes, or raise `NotFound`."""
    found = await unit.policies.list_versions(name, version + 1, 2)
    if not found or found[0].version != version:
        raise NotFound(f"the policy {name!r} has no version {version}; its versions are listed under /versions")
    return _compared(found[0], found[1] if len(found) > 1 else None)


async def restorable(unit: UnitOfWork, name: str, version: int) -> PolicyVersion:
    """Return a version whose document can be stored again.

    Raises:
        InvalidInput: the version does not exist, or is a deletion.
    """
    found = await unit.policies.get_version(name, version)
    if found is None:
        raise _unfit(version, f"policy version {version} does not exist", "its versions are listed under /versions")
    if found.is_deletion:
        raise _unfit(version, "this version is a deletion", "DELETE the policy instead, or restore an earlier version")
    return found


def _compared(version: PolicyVersion, previous: PolicyVersion | None) -> ComparedVersion:
    return ComparedVersion(version, differences(previous.document if previous else None, version.document))


def _unfit(version: int, message: str, hint: str) -> InvalidInput:
    problem = FieldProblem("/version", message, version, hint)
    return InvalidInput(f"version {version} can't be restored: {message}", problems=(problem,))
