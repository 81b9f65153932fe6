"""The check of a merge by key: the outputs have, for each key, the row that the merge engine keeps of the inputs.

It knows nothing of Paimon's core but the files that it read and wrote. Provable are

- `deduplicate`: the last row of a key by `sequence.field` and sequence number, unchanged; nothing if that deletes it
  and no file at a higher level remains;
- `first-row`: the first row of a key by sequence number, unchanged, or nothing if a file at a higher level remains;
- other engines: a row for each key without deletions, no other keys, and sequence numbers within those of the key.

No key is twice in the outputs in any case. Rows of equal order, which writers without a common sequence can produce,
are all accepted. Keys and rows are compared by hashes of 64 bits: two of 10 million keys have the same with a chance
of 3 in a million, which fails the group without a fault.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from engine.formats.paimon.task.key_rows import HAS_VECTOR, RETRACTS, order_names
from engine.rewriting.kernel.merging.record_slices import Records

DEDUPLICATE: Final = "deduplicate"
FIRST_ROW: Final = "first-row"

_Bits = npt.NDArray[np.bool_]
_Places = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Claims:
    """Conditions on the outputs of a compaction, by the table's options and the files that were merged.

    `engine`: the merge engine. `order_fields`: the number of columns of `sequence.field`. `compares_values`: rows are
    unchanged. `ignores_deletes`: see `MergeRules`. `drops_deletes`: no file remains with
    rows that a deletion has to hide. `meets_older`: a row can be that of a file that was not merged, if it is newer.
    `may_lack_keys`: any key can be missing.
    """

    engine: str
    order_fields: int
    compares_values: bool
    ignores_deletes: bool
    drops_deletes: bool
    meets_older: bool
    may_lack_keys: bool


@dataclass(slots=True)
class Findings:
    """Numbers of wrong rows or keys; `lacking_by_vector`: keys that are missing if their vector deletes them."""

    twice: int = 0
    unknown: int = 0
    lacking: int = 0
    lacking_by_vector: int = 0
    other_rows: int = 0
    other_numbers: int = 0

    def add(self, other: "Findings") -> None:
        """Add those of another slice."""
        for name in self.__slots__:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def faults(self, *, by_vector: int) -> Iterator[str]:
        """Yield a text for each kind of fault; `by_vector`: how many keys deletion vectors can have deleted."""
        texts = {
            "keys are in the outputs twice": self.twice,
            "keys are in no input": self.unknown,
            "keys are missing in the outputs": self.lacking + max(0, self.lacking_by_vector - by_vector),
            "rows are not those that the merge engine keeps of their key": self.other_rows,
            "rows have a sequence number beyond those of their key": self.other_numbers,
        }
        yield from (f"{count} {text}" for text, count in texts.items() if count)


class SliceCheck:
    """The comparison of the records of one slice: those of all rows of its keys."""

    def __init__(self, claims: Claims, before: Records, after: Records) -> None:
        self._claims = claims
        self._before = before[np.lexsort(self._ranks(before))]
        self._after = after[np.argsort(after["key"], kind="stable")]
        keys = self._before["key"]
        is_last = np.append(keys[1:] != keys[:-1], len(keys) > 0)
        self._ends: _Places = np.flatnonzero(is_last)
        self._starts: _Places = np.append(np.zeros(min(1, len(keys)), np.int64), self._ends[:-1] + 1)
        self._kept = self._before[self._ends]
        """The record of each key that the engine keeps."""

    def findings(self) -> Findings:
        """Return what is wrong."""
        kept, after = self._kept, self._after
        found = Findings(twice=int((after["key"][1:] == after["key"][:-1]).sum()))
        is_known = np.isin(after["key"], kept["key"])
        found.unknown = int((~is_known).sum())
        known = after[is_known]
        of_key = np.searchsorted(kept["key"], known["key"])
        self._lacking(found)
        if self._claims.compares_values:
            found.other_rows = int((~self._are_kept(known, of_key)).sum())
        elif not self._claims.meets_older and len(known):
            least, most = (each.reduceat(self._before["number"], self._starts) for each in (np.minimum, np.maximum))
            is_beyond = (known["number"] < least[of_key]) | (known["number"] > most[of_key])
            found.other_numbers = int(is_beyond.sum())
        return found

    def _ranks(self, records: Records) -> Sequence[npt.NDArray[Any]]:
        """Return the columns to sort by, the first one last: the last record of a key is the one that is kept."""
        order = [records[name] for name in reversed(order_names(self._claims.order_fields))]
        number = ~records["number"] if self._claims.engine == FIRST_ROW else records["number"]
        return number, *order, ~self._is_ignored(records), records["key"]

    def _is_ignored(self, records: Records) -> _Bits:
        ignored: _Bits = (records["flags"] & RETRACTS != 0) & self._claims.ignores_deletes
        return ignored

    def _lacking(self, found: Findings) -> None:
        """Count the keys that should be in the outputs and are not."""
        claims, kept = self._claims, self._kept
        if claims.may_lack_keys or not len(kept):
            return
        is_lacking: _Bits = ~np.isin(kept["key"], self._after["key"])
        retracts = kept["flags"] & RETRACTS != 0
        if claims.engine != DEDUPLICATE:  # a deletion can reach the result of any order
            is_lacking &= np.bitwise_or.reduceat(self._before["flags"], self._starts) & RETRACTS == 0
        elif claims.drops_deletes:
            is_lacking &= ~retracts
        is_lacking &= ~self._is_ignored(kept)  # the core keeps a lone one, and none of several
        by_vector: _Bits = is_lacking & (kept["flags"] & HAS_VECTOR != 0)
        found.lacking_by_vector = int(by_vector.sum())
        found.lacking = int(is_lacking.sum()) - found.lacking_by_vector

    def _are_kept(self, known: Records, of_key: _Places) -> _Bits:
        """Return whether records of the outputs are those that are kept of their keys, or of equal order.

        If a vector can have deleted the one that is kept, any of the key is accepted.
        """
        before, counts = self._before, self._ends - self._starts + 1
        kept, wanted = np.repeat(self._kept, counts), self._kept[of_key]
        is_equal = kept["number"] == before["number"]
        is_equal &= kept["flags"] & RETRACTS == before["flags"] & RETRACTS
        for name in order_names(self._claims.order_fields):
            is_equal &= kept[name] == before[name]
        is_equal |= kept["flags"] & HAS_VECTOR != 0
        are_kept: _Bits = np.isin(known["row"], before["row"][is_equal])
        are_kept &= (known["flags"] & RETRACTS == wanted["flags"] & RETRACTS) | (wanted["flags"] & HAS_VECTOR != 0)
        if self._claims.meets_older:
            are_kept |= self._is_newer(known, wanted)
        return are_kept

    def _is_newer(self, known: Records, kept: Records) -> _Bits:
        """Return whether records are after others by `sequence.field` and sequence number."""
        names = (*order_names(self._claims.order_fields), "number")
        is_newer, is_equal = np.zeros(len(known), np.bool_), np.ones(len(known), np.bool_)
        for name in names:
            is_newer |= is_equal & (known[name] > kept[name])
            is_equal &= known[name] == kept[name]
        return is_newer
