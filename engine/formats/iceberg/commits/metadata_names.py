"""Names of the metadata files that commits write, by which a run's files are found.

A commit writes manifests, `<run id>-<attempt>-<commit>-m<number>.avro`, and one list of them,
`snap-<snapshot id>-<attempt>-<commit>.avro`; `<commit>` is a UUID of each try.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final

_MANIFEST_NAME: Final = r"(?P<run>run_[0-9a-z]+)-(?P<attempt>[0-9]+)-(?P<commit>[0-9a-f-]{36})-m[0-9]+\.avro"
_LIST_NAME: Final = r"snap-[0-9]+-[0-9]+-(?P<commit>[0-9a-f-]{36})\.avro"


def manifest_name(run_id: str, attempt: int, commit: str, number: int) -> str:
    """Return the name of a manifest."""
    return f"{run_id}-{attempt}-{commit}-m{number}.avro"


def manifest_list_name(snapshot_id: int, attempt: int, commit: str) -> str:
    """Return the name of a manifest list."""
    return f"snap-{snapshot_id}-{attempt}-{commit}.avro"


def of_commits(names: Iterable[str], run_id: str, *, up_to_attempt: int) -> Sequence[str]:
    """Return manifest lists, then manifests, that a run wrote in attempts up to this number.

    The name of a list does not contain the run: the list is found by the commit's UUID, which its manifests share. So
    lists come first, and a removal that was interrupted in between finds the remaining files by the same rule.
    """
    given = list(names)
    own = {name: found["commit"] for name in given if (found := _of_run(name, run_id, up_to_attempt)) is not None}
    commits = frozenset(own.values())
    lists = [name for name in given if (found := re.fullmatch(_LIST_NAME, name)) and found["commit"] in commits]
    return [*sorted(lists), *sorted(own)]


def _of_run(name: str, run_id: str, up_to_attempt: int) -> re.Match[str] | None:
    found = re.fullmatch(_MANIFEST_NAME, name)
    return found if found and found["run"] == run_id and int(found["attempt"]) <= up_to_attempt else None
