"""Yield the files of a list that the current metadata does not need, and prove afterwards that it needs none."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

import numpy as np
import pyarrow as pa

from engine.formats.base import Condition
from engine.formats.iceberg.metadata.views import TableView
from engine.formats.iceberg.removal.reachability import Reachability, check_newer
from engine.formats.removal.file_lists import FileList

_FILES_BETWEEN_LOOKS: Final = 50_000


class UnneededFiles:
    """The files of a list, compared with the table while they are deleted.

    `load` returns the current version of the table; `check` raises if that version forbids to delete files.

    All calls raise as `Reachability.look`, and:
        Fatal, TableReplaced: the table is another one now, or older than the list.
    """

    def __init__(
        self,
        files: FileList,
        *,
        load: Callable[[], TableView],
        check: Callable[[TableView], None],
        reachability: Reachability | None = None,
    ) -> None:
        """Take the files; `reachability` is of these files, with what was read of the table already."""
        self._files = files
        self._load = load
        self._check = check
        self._reachability = reachability or Reachability(files.keys())
        self._is_sent = np.zeros(files.rows, np.bool_)

    def batches(self) -> Iterator[pa.Table]:
        """Yield the files that may be deleted; each counts as deleted for `prove`.

        The metadata is looked at before the first table and again after every `_FILES_BETWEEN_LOOKS` files.
        """
        start, since = 0, _FILES_BETWEEN_LOOKS
        for batch in self._files.batches():
            if since >= _FILES_BETWEEN_LOOKS:
                view, since = self._load(), 0
                self._check(view)
                self._look(view)
            part = slice(start, start + batch.num_rows)
            is_free = ~self._reachability.is_needed[part]
            self._is_sent[part] = is_free
            yield batch.filter(pa.array(is_free))
            start, since = part.stop, since + batch.num_rows

    def prove(self) -> Sequence[Condition]:
        """Look at the current metadata: whether it needs a file that was sent for deletion."""
        self._look(self._load())
        wrong = int((self._reachability.is_needed & self._is_sent).sum())
        sent = int(self._is_sent.sum())
        return (Condition("deleted_are_unneeded", not wrong, f"{sent} files deleted, {wrong} of them are needed"),)

    def _look(self, view: TableView) -> None:
        check_newer(view.metadata, self._files.origin)
        self._reachability.look(view)
