"""What was ever written of a policy: every version, deletions too. History outlives the policy."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from engine.domain.policies import PolicyDocument, PolicyScope

MAX_MESSAGE: Final = 500
"""Characters of the message of a version."""


@dataclass(frozen=True, slots=True)
class PolicyVersion:
    """One write of a policy. Of a deletion the document is empty; numbers grow on over it, and none comes twice.

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
