"""A policy as the record keeps it."""

from dataclasses import dataclass
from datetime import datetime

from engine.domain.policies.documents.document import PolicyDocument
from engine.domain.policies.effective.scopes import PolicyScope


@dataclass(frozen=True, slots=True)
class StoredPolicy:
    """A policy as stored; `version` grows with each write and is the ETag. A table's own has the table's id as name.

    `message`: why this version was written, None where its author gave none.
    """

    document: PolicyDocument
    version: int
    updated_at: datetime
    updated_by: str
    name: str
    scope: PolicyScope
    message: str | None = None
