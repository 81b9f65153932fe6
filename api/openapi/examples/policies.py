"""Values of policies, their versions and presets: stored documents, with sizes in bytes and rates per second."""

from collections.abc import Mapping
from typing import Any, Final

from api.openapi.examples.names import SUBMITTED

OF_MODELS: Final[Mapping[str, Mapping[str, Any]]] = {
    "LeafChange": {"before": 268435456, "after": 134217728},
    "PolicyDocument": {
        "rewrite": {"target_file_bytes": 134217728},
        "limits": {"bandwidth": 50000000, "parallel_groups": 2},
    },
    "PolicyVersion": {"written_at": SUBMITTED, "written_by": "key:admin", "is_deletion": False},
    "Preset": {
        "summary": "For tables that were not tuned: a partition is due at 20 small files.",
        "source": "Packhouse's own figures, chosen by replays of eight write histories.",
        # without its triggers: Redocly forbids unevaluated properties inside of `allOf` and so refuses valid ones
        "policy": {"rewrite": {"min_input_files": 2}, "schedule": {"min_interval": "10m"}},
    },
}
