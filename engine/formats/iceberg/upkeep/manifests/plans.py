"""Select the manifests to rewrite: small ones to merge, huge ones to split.

Decided from the manifest list alone. Manifests are merged only if fewer result, so that a table that was just rewritten
has nothing to rewrite: the pieces of a merge are as few as the target size allows.
"""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pyiceberg.manifest import ManifestContent, ManifestFile

from engine.domain.errors import NotEligible
from engine.domain.runs.manifests import ManifestPlan
from engine.formats.iceberg.catalog.paths import own_location_provider
from engine.formats.iceberg.commits.snapshot_files import is_needed
from engine.formats.iceberg.features.known import has_unknown_transform
from engine.formats.iceberg.features.rows import Activity
from engine.formats.iceberg.metadata.history import is_count
from engine.formats.iceberg.metadata.views import TableView

TARGET: Final = "commit.manifest.target-size-bytes"
DEFAULT_TARGET_BYTES: Final = 8 * 2**20
"""Iceberg's default of the property."""
LEAST_TARGET_BYTES: Final = 64 * 2**10
MOST_TARGET_BYTES: Final = 64 * 2**20
SMALL: Final = 0.75
"""Manifests below this share of the target are merged."""
HUGE: Final = 1.8
"""Manifests above this multiple of the target are split; the same limits apply to data files by default."""
MOST_BYTES: Final = 128 * 2**20
"""Stored size of the manifests that one snapshot replaces: their entries are in memory, several times as large."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Manifests of one kind of content and one partition spec that are rewritten together."""

    manifests: tuple[ManifestFile, ...]
    added: int


def plan_manifests(view: TableView) -> ManifestPlan:
    """Return what a rewrite of manifests would do.

    Raises:
        NotEligible: the format version is later than 3, or a location provider of the table's own names its files.
    """
    check_eligible(view)
    manifests, target = view.manifests(view.head), target_of(view)
    chosen = select(mergeable(view, manifests), target)
    rewritten = [each for some in chosen for each in some.manifests]
    return ManifestPlan(
        target_bytes=target,
        manifests=len(manifests),
        manifest_bytes=sum(each.manifest_length for each in manifests),
        rewritten=len(rewritten),
        rewritten_bytes=sum(each.manifest_length for each in rewritten),
        added=sum(each.added for each in chosen),
    )


def check_eligible(view: TableView) -> None:
    """Raise `NotEligible` for a table whose manifests are not rewritten."""
    version = view.metadata.format_version
    if version not in (1, 2, 3):
        raise NotEligible(f"manifests of format version {version} are not rewritten; 1, 2 and 3 are")
    if found := own_location_provider(view.metadata.properties):
        raise NotEligible(f"the table has a location provider of its own ({found})")
    view.check_features(Activity.UPKEEP)


def mergeable(view: TableView, manifests: Sequence[ManifestFile]) -> list[ManifestFile]:
    """Return the manifests without those of a spec with an unknown transform, which stay as they are.

    The type of its values is not known, so that their bounds can't be compared.
    """
    strange = {each.spec_id for each in view.metadata.partition_specs if has_unknown_transform(each)}
    return [each for each in manifests if each.partition_spec_id not in strange]


def target_of(view: TableView) -> int:
    """Return the target size of manifests in bytes, within limits; the default if the property is not a number."""
    text = view.metadata.properties.get(TARGET, "").strip()
    wanted = int(text) if is_count(text) else DEFAULT_TARGET_BYTES
    return min(MOST_TARGET_BYTES, max(LEAST_TARGET_BYTES, wanted))


def select(manifests: Sequence[ManifestFile], target: int) -> list[Selection]:
    """Return the manifests to rewrite, at most `MOST_BYTES` of them, smallest first."""
    alike: dict[tuple[ManifestContent, int], list[ManifestFile]] = defaultdict(list)
    room = MOST_BYTES
    for each in sorted(manifests, key=lambda manifest: manifest.manifest_length):
        if each.key_metadata is None and (_is_small(each, target) or _is_huge(each, target)):
            room -= max(0, each.manifest_length)
            if room < 0 and alike:
                break
            alike[each.content, each.partition_spec_id].append(each)
    found = (Selection(tuple(some), _pieces(some, target)) for some in alike.values())
    return [each for each in found if _is_useful(each, target)]


def _is_small(manifest: ManifestFile, target: int) -> bool:
    return manifest.manifest_length < SMALL * target or not is_needed(manifest)


def _is_huge(manifest: ManifestFile, target: int) -> bool:
    entries = (manifest.added_files_count or 0) + (manifest.existing_files_count or 0)
    return manifest.manifest_length > HUGE * target and entries > 1


def _pieces(manifests: Sequence[ManifestFile], target: int) -> int:
    stored = sum(each.manifest_length for each in manifests if is_needed(each))
    return math.ceil(stored / target)


def _is_useful(selection: Selection, target: int) -> bool:
    return len(selection.manifests) > selection.added or any(_is_huge(each, target) for each in selection.manifests)
