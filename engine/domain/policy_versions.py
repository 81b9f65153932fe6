"""What was ever written of a policy: every version, deletions too. History outlives the policy."""

from dataclasses import dataclass
from datetime import datetime

from engine.domain.policies import PolicyDocument, PolicyScope


@dataclass(frozen=True, slots=True)
class PolicyVersion:
    """One write of a policy. Of a deletion the document is empty; numbers grow on over it, and none comes twice."""

    name: str
    version: int
    written_at: datetime
    written_by: str
    is_deletion: bool
    scope: PolicyScope
    document: PolicyDocument
