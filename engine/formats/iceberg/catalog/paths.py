"""File paths: a normalised form for comparisons, and a table's data and metadata locations.

Normalise to compare, never to store: manifests keep the original string.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from pyiceberg.table.locations import ObjectStoreLocationProvider
from pyiceberg.table.metadata import TableMetadata

from engine.rewriting.kernel.storage.places import AllowedFolders, normalise_uri

_PLACES: Final = frozenset(
    {"write.data.path", "write.folder-storage.path", "write.object-storage.path", "write.metadata.path"}
)


_PARTITIONED: Final = "write.object-storage.partitioned-paths"
_OWN_PROVIDER: Final = ("write.location-provider.impl", "write.py-location-provider.impl")


def normalised(path: str) -> str:
    """Return a path in the canonical form for comparisons (`engine.uris.locations`)."""
    return normalise_uri(path)


def data_location(metadata: TableMetadata) -> str:
    """Return the location of data files without a trailing slash (also supports Iceberg's older property names)."""
    properties = metadata.properties
    names = ["write.data.path", "write.folder-storage.path"]
    if has_object_storage_layout(properties):
        names.insert(1, "write.object-storage.path")
    stated = next((properties[name] for name in names if properties.get(name)), None)
    return (stated or f"{metadata.location.rstrip('/')}/data").rstrip("/")


def metadata_location(metadata: TableMetadata) -> str:
    """Return the location of manifests without a trailing slash."""
    return (metadata.properties.get("write.metadata.path") or f"{metadata.location.rstrip('/')}/metadata").rstrip("/")


def all_locations(metadata: TableMetadata) -> Sequence[str]:
    """Return the base location, the data location, and all other write locations in the table's properties."""
    named = (value for name, value in sorted(metadata.properties.items()) if name in _PLACES and value)
    return list(dict.fromkeys((metadata.location, data_location(metadata), *named)))


def own_location_provider(properties: Mapping[str, str]) -> str:
    """Return the properties that set a custom location provider, as text; empty without one."""
    return "; ".join(f"{name} = {properties[name]}" for name in _OWN_PROVIDER if name in properties)


def outside(paths: Iterable[str], places: Iterable[str]) -> list[str]:
    """Return the paths that are below none of the places."""
    allowed = AllowedFolders(places)
    return [path for path in paths if not allowed.contains(path)]


def has_object_storage_layout(properties: Mapping[str, str]) -> bool:
    """Return whether the table distributes its files over hashed directories."""
    return properties.get("write.object-storage.enabled", "false").strip().lower() == "true"


def output_directory(metadata: TableMetadata, *, partition_path: str, name: str) -> str:
    """Return the directory for the outputs of one group; the object-storage layout hashes `name`."""
    base = data_location(metadata)
    if has_object_storage_layout(metadata.properties):
        with_partition = metadata.properties.get(_PARTITIONED, "true").strip().lower() == "true"  # as Iceberg reads it
        given = {"write.data.path": base, _PARTITIONED: str(with_partition)}
        provider = ObjectStoreLocationProvider(metadata.location, {**metadata.properties, **given})
        inner = f"{partition_path}/{name}" if partition_path and with_partition else name
        return provider.new_data_location(inner).rpartition("/")[0]
    return f"{base}/{partition_path}" if partition_path else base
