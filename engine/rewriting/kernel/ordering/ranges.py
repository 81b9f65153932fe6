"""Range partitioning of an order, so that rows that do not fit into memory are sorted range by range.

The ranges have about equally many rows each; their bounds are rows of a sample. A row is in exactly one range: a range
starts with its lower bound and ends before the next. A key that fills a whole range has a separate one, whose rows need
no sorting: the sort is stable.
"""

from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa

from engine.rewriting.kernel.ordering.keys import Keys, Positions, joined

Columns = Sequence[pa.ChunkedArray]


class Ranges:
    """Ranges of rows, numbered from 0 along the order."""

    def __init__(self, sample: Columns, *, keys_of: Callable[[Columns], Keys], wanted: int) -> None:
        """Make about `wanted` (2 or more) ranges: at least two contain sampled rows, or one contains a single key.

        Args:
            sample: columns of the order, at least one row.
            keys_of: returns numbers that compare like the rows given to one call.
            wanted: requested number of ranges.
        """
        keys = keys_of(sample)
        along = np.argsort(keys, kind="stable")
        at = along[np.arange(1, wanted) * len(keys) // wanted]
        cuts, first = np.unique(keys[at], return_index=True)
        equal = np.searchsorted(keys[along], cuts, side="right") - np.searchsorted(keys[along], cuts, side="left")
        # a bound at the least key of the sample is heavy, so rows are always separated
        is_heavy = equal * wanted >= len(keys)
        self._cuts = [column.take(pa.array(at[first])) for column in sample]
        self._keys_of = keys_of
        self._heavy_below: Positions = np.concatenate([[0], np.cumsum(is_heavy)])
        self.count = len(cuts) + 1 + int(is_heavy.sum())
        own = np.arange(1, len(cuts) + 1) + self._heavy_below[:-1]
        self.of_one_key = frozenset(own[is_heavy].tolist())

    def places(self, columns: Columns) -> Positions:
        """Return the range of each row."""
        keys = self._keys_of(joined(columns, self._cuts))
        rows = len(keys) - len(self._cuts[0])
        cuts = keys[rows:]
        found: Positions = np.searchsorted(cuts, keys[:rows], side="right")
        if self.of_one_key:
            found = found + self._heavy_below[np.searchsorted(cuts, keys[:rows], side="left")]
        return found
