"""Delete the files that attempts of a run wrote and that their table does not need."""

from collections.abc import Callable, Container, Sequence
from contextlib import suppress

from engine.domain.runs.output_names import attempt_of
from engine.formats.removal.unneeded import PROVEN_FILES
from engine.rewriting.kernel.storage.stores.addresses import file_name


def outputs_up_to(paths: Sequence[str], run_id: str, up_to_attempt: int, keep: frozenset[str]) -> Sequence[str]:
    """Return those of a run's files whose names are of attempts up to a number, except those with a name of `keep`."""
    kept = {file_name(path) for path in keep}
    own = (path for path in paths if file_name(path) not in kept)
    return [path for path in own if (attempt_of(file_name(path), run_id) or 0) <= up_to_attempt]


def remove_outputs(
    candidates: Sequence[str],
    read_needed: Callable[[], Container[str]],
    delete: Callable[[str], None],
    *,
    key: Callable[[str], str] = file_name,
) -> Sequence[str]:
    """Delete the files that the table does not need; return the paths of those that were there.

    Args:
        candidates: paths of files.
        read_needed: reads the table and returns the keys of files that it needs; called after the candidates were
            found, before each `PROVEN_FILES` of them.
        delete: deletes a file; raises FileNotFoundError if it is gone.
        key: returns the key of a path, by default the file's name.
    """
    removed: list[str] = []
    for start in range(0, len(candidates), PROVEN_FILES):
        needed = read_needed()
        for path in candidates[start : start + PROVEN_FILES]:
            if key(path) not in needed:
                with suppress(FileNotFoundError):
                    delete(path)
                    removed.append(path)
    return removed
