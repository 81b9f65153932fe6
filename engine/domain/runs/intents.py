"""The next step of an attempt, stored before the attempt takes it: a later attempt finds out whether it happened."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from engine.domain.fleet.dependencies import DEFAULT_ENDPOINT


@dataclass(frozen=True, slots=True)
class SentCall:
    """A call of a table format's own procedure: the head snapshot before it, and the Spark application that runs it."""

    since_snapshot_id: int
    application: str


@dataclass(frozen=True, slots=True)
class RunIntent:
    """The intent of a run's last attempt; the default is that of a run that was never claimed.

    `engine`: of a rewrite. `session_id` and `tag` identify its operations on the Spark endpoint `endpoint`. `sent`:
    ordinals of groups that may have been sent to the catalog, and whose outcome is unknown. `snapshots`: ids of
    snapshots that may have been sent for removal, `tags` names of tags. Numbers of snapshots are text in the document,
    as they exceed 2^53.
    """

    engine: str | None = None
    table_uuid: str | None = None
    base_snapshot_id: int | None = None
    plan_hash: str | None = None
    session_id: str | None = None
    tag: str | None = None
    endpoint: str | None = None
    sent: frozenset[int] = frozenset()
    call: SentCall | None = None
    snapshots: tuple[int, ...] = ()
    tags: tuple[str, ...] = ()

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Self:
        """Return the intent of a stored document, of this version or an earlier one."""
        base, since = document.get("base_snapshot_id"), document.get("since_snapshot_id")
        return cls(
            engine=document.get("engine"),
            table_uuid=document.get("table_uuid"),
            base_snapshot_id=None if base is None else int(base),
            plan_hash=document.get("plan_hash"),
            session_id=document.get("session_id"),
            tag=document.get("tag"),
            endpoint=document.get("endpoint", DEFAULT_ENDPOINT if "session_id" in document else None),
            sent=frozenset(document.get("commit", ())),
            call=None if since is None else SentCall(int(since), document["application"]),
            snapshots=tuple(map(int, document.get("snapshots", ()))),
            tags=tuple(document.get("tags", ())),
        )

    def document(self) -> dict[str, Any]:
        """Return the intent as JSON-ready values."""
        found = {
            "engine": self.engine,
            "table_uuid": self.table_uuid,
            "base_snapshot_id": None if self.base_snapshot_id is None else str(self.base_snapshot_id),
            "plan_hash": self.plan_hash,
            "session_id": self.session_id,
            "tag": self.tag,
            "endpoint": self.endpoint,
            "since_snapshot_id": None if self.call is None else str(self.call.since_snapshot_id),
            "application": None if self.call is None else self.call.application,
        }
        known: dict[str, Any] = {name: value for name, value in found.items() if value is not None}
        known |= {"tags": list(self.tags)} if self.tags else {}
        return known | {"commit": sorted(self.sent), "snapshots": [str(each) for each in self.snapshots]}

    @property
    def bases(self) -> frozenset[int]:
        """Ids of the snapshots that the attempt works from."""
        found = (self.base_snapshot_id, None if self.call is None else self.call.since_snapshot_id)
        return frozenset(each for each in found if each is not None)

    def marked_sent(self, ordinals: Iterable[int]) -> Self:
        """Return the intent with these groups marked as possibly sent from now on."""
        return replace(self, sent=self.sent.union(ordinals))

    def marked_settled(self, ordinals: Iterable[int]) -> Self:
        """Return the intent without the mark of these groups, whose outcome is now known."""
        return replace(self, sent=self.sent.difference(ordinals))
