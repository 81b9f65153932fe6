"""Entries of manifests that a rewrite decoded, kept for its proof: decoding the same bytes again shows nothing new.

The proof fetches every manifest again and compares digests. Entries of replaced manifests inherit numbers from the
manifest list, which has to state the same of them; those of new manifests inherit nothing.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyiceberg.manifest import ManifestFile

from engine.formats.iceberg.manifests.inheritance import first_row_id_of
from engine.formats.iceberg.manifests.reading import ManifestReader


@dataclass(frozen=True, slots=True)
class Reading:
    """Entries of manifests, as `manifest_entries.plain` returns them.

    Attributes:
        digests: digests of their stored bytes, by path.
        listed: what the manifest list stated of each, from `listed_as`; empty if they inherit nothing.
        entries: live entries of all.
        seconds: how long decoding them took.
    """

    digests: Mapping[str, bytes]
    listed: Mapping[str, Any]
    entries: pa.Table
    seconds: float

    def is_listed(self, manifests: Mapping[str, ManifestFile]) -> bool:
        """Return whether a manifest list, by path, has all of them, and states the same of what they inherit."""
        return self.listed.keys() <= manifests.keys() and all(
            stated == listed_as(manifests[path]) for path, stated in self.listed.items()
        )

    def is_of(self, manifests: Sequence[ManifestFile], reader: ManifestReader) -> bool:
        """Return whether the store still has these manifests as they were read. Raises as `ManifestReader.stored`."""
        if {each.manifest_path for each in manifests} != self.digests.keys():
            return False
        if any(self.listed[each.manifest_path] != listed_as(each) for each in manifests if self.listed):
            return False
        found = zip(manifests, reader.stored(manifests), strict=True)
        return all(digest(body) == self.digests[each.manifest_path] for each, body in found)


@dataclass(frozen=True, slots=True)
class Evidence:
    """Replaced manifests, and each of those that were written in their place."""

    old: Reading
    new: Sequence[Reading]


def listed_as(manifest: ManifestFile) -> Any:
    """Return what entries inherit of a manifest in a manifest list."""
    numbers = (manifest.sequence_number, manifest.added_snapshot_id, first_row_id_of(manifest))
    return (manifest.content, manifest.partition_spec_id, *numbers)


def digest(stored: bytes) -> bytes:
    """Return the digest of stored bytes, such as those of a manifest."""
    return hashlib.sha256(stored).digest()
