"""Rules of merge trees and names of options, as Paimon's core has them, without a table."""

from collections.abc import Mapping, Sequence
from typing import Any

import jpype

from tests.support.paimon.core_changes import java


class MergeTrees:
    """Calls of the core, by the names of the methods."""

    def selected(self, cases: Sequence[Sequence[tuple[int, int]]], trigger: int) -> list[list[int]]:
        """Return how many of a bucket's runs, pairs of level and bytes, are merged, and the level of the output.

        Universal compaction has Paimon's default options besides the trigger, and six levels.
        """
        strategy = java("mergetree.compact.UniversalCompaction")(200, 1, trigger, None, None)
        found = []
        for runs in cases:
            levels = jpype.java.util.ArrayList()
            for level, size in runs:
                levels.add(
                    java("mergetree.LevelSortedRun")(level, java("mergetree.SortedRun").fromSingle(_sized(size)))
                )
            picked = strategy.pick(6, levels)
            unit = picked.get() if picked.isPresent() else None
            found.append([0, 0] if unit is None else [int(unit.files().size()), int(unit.outputLevel())])
        return found

    def options(self, classes: Sequence[str]) -> Mapping[str, Sequence[str]]:
        """Return values, by the names of all options, also former ones, that classes of the core define."""
        found = dict[str, Sequence[str]]()
        for field in (field for name in classes for field in java(name).class_.getDeclaredFields()):
            if str(field.getType().getSimpleName()) == "ConfigOption":
                field.setAccessible(True)
                option = field.get(None)
                names = [str(option.key()), *(str(each.getKey()) for each in option.fallbackKeys())]
                found |= dict.fromkeys(names, _values(option))
        return found

    def option_kinds(self, classes: Sequence[str]) -> Mapping[str, Sequence[str]]:
        """Return the class of the values of each option, and the values of an enum; as `options`."""
        found = dict[str, Sequence[str]]()
        for field in (field for name in classes for field in java(name).class_.getDeclaredFields()):
            if str(field.getType().getSimpleName()) == "ConfigOption":
                field.setAccessible(True)
                option = field.get(None)
                names = [str(option.key()), *(str(each.getKey()) for each in option.fallbackKeys())]
                of = _kind(option)
                values = tuple(map(str, of.getEnumConstants() or ()))
                found |= dict.fromkeys(names, (str(of.getSimpleName()), *values))
        return found


def _kind(option: Any) -> Any:
    """Return the class of an option's values."""
    kind = option.getClass().getDeclaredField("clazz")
    kind.setAccessible(True)
    return kind.get(option)


def _values(option: Any) -> Sequence[str]:
    """Return each value of an option with few of them, otherwise its default and a small one; none of texts."""
    of = _kind(option)
    name = str(of.getSimpleName())
    default = [] if option.defaultValue() is None else [str(option.defaultValue())]
    if of.isEnum():
        return [str(each) for each in of.getEnumConstants()]
    if name == "Boolean":
        return ["true", "false"]
    return {"Integer": [*default, "3"], "Long": [*default, "3"], "MemorySize": ["1 mb"], "Duration": ["1 h"]}.get(
        name, default if name in ("Double", "Float") else []
    )


def _sized(size: int) -> Any:
    """Return a file of so many bytes."""
    stats, source = java("stats.SimpleStats").EMPTY_STATS, java("manifest.FileSource").APPEND
    nothing = jpype.java.util.ArrayList()
    return java("io.DataFileMeta").forAppend(
        "f", size, 1, stats, 0, 0, 0, nothing, None, source, None, None, None, None
    )
