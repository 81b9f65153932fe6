"""Version history of a policy: every write, including deletions. It is kept after the policy is deleted."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from engine.domain.policies import PolicyDocument, PolicyScope

MAX_MESSAGE: Final = 500
"""The most characters in the message of a version."""


@dataclass(frozen=True, slots=True)
class PolicyVersion:
    """One write of a policy. A deletion has an empty document; numbers continue after it, and none is used twice.

    `message`: why it was written, None where its author gave none.
    """

    name: str
    version: int
    written_at: datetime
    written_by: str
    is_deletion: bool
    scope: PolicyScope
    document: PolicyDocument
    message: str | None = None
