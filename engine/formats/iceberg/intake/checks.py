"""Validate foreign metadata so that planning can calculate with it; done once, where it is read."""

from typing import Final

from pyiceberg.table.metadata import TableMetadata
from pyiceberg.table.refs import MAIN_BRANCH

from engine.formats.intake.limits import Malformed

_LATEST_MS: Final = 253_402_300_799_999  # the last instant of the year 9999, the maximum of `datetime`


def check_metadata(metadata: TableMetadata) -> None:
    """Check commit times, and that `main` refers to an existing snapshot.

    Raises:
        Malformed: a check fails; the message names the snapshot.
    """
    for snapshot in metadata.snapshots:
        if not 0 <= snapshot.timestamp_ms <= _LATEST_MS:
            raise Malformed(f"snapshot {snapshot.snapshot_id} was committed at no time: {snapshot.timestamp_ms} ms")
    main = metadata.refs.get(MAIN_BRANCH)
    if main is not None and metadata.snapshot_by_id(main.snapshot_id) is None:
        raise Malformed(f"branch main points to snapshot {main.snapshot_id}, which is not in the metadata")
