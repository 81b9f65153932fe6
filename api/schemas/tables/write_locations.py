"""The folders that a writer puts a file into, on the wire."""

from typing import Self

from pydantic import Field

from api.schemas.common import Answer, Instant, Partition
from engine.domain.tables.write_locations import LocationRole
from engine.services.tables.write_locations import WriteAnswer, WriteState


class WriteLocation(Answer):
    """A folder to write the file to."""

    location: str = Field(
        description="Address of the folder; the file's is this, a slash and `file_name`.",
        examples=["s3://lake/events/day=2026-11-01"],
    )
    role: LocationRole = Field(
        description="`current`: readers find its files. `next`: a rewrite has written to it and will put it in place."
    )
    has_file: bool = Field(description="True: the folder has the rows of the file already; do not write it there.")


class WriteLocations(Answer):
    """The folders of a partition to write a file to, in this order."""

    table_id: str
    partition: Partition
    file_name: str = Field(
        description="Name of the file in every folder. Send it with the next request, and use it for one file only.",
        examples=["dual-1793523600000-0f8b6c2d4e1a49f7b3c5d7e9f1a2b4c6.parquet"],
    )
    valid_until: Instant = Field(description="Time until which this name can be sent.")
    locations: list[WriteLocation] = Field(description="The current folder, then those to come.")
    is_written: bool = Field(description="True: the current folder has the file, so readers find its rows.")
    state: WriteState = Field(description="`rewriting`: a run of this partition is under way.")
    run_id: str | None = Field(description="That run; null without one.")
    compaction_id: int | None = Field(
        description="Number of the newest rewrite of the partition, which grows with each one; null before the first."
    )

    @classmethod
    def from_domain(cls, table_id: str, answer: WriteAnswer) -> Self:
        """Return the wire form."""
        found = [
            WriteLocation(location=each.location, role=each.role, has_file=each.has_file)
            for each in answer.found.locations
        ]
        return cls(
            table_id=table_id,
            partition=Partition.of(answer.partition),
            file_name=answer.file.name,
            valid_until=answer.file.valid_until,
            locations=found,
            is_written=found[0].has_file,
            state=answer.state,
            run_id=answer.run_id,
            compaction_id=answer.found.compaction_id,
        )
