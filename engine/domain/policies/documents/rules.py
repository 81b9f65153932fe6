"""Triggers: named rules over measured figures; any rule that holds makes a partition due.

A rule holds when all of its conditions hold (`all`), when one of them holds (`any`), or when its condition does not
hold (`not`); each condition is a comparison or another such group. A comparison of a figure that can't be measured
neither holds nor fails: below `not` it does not hold either.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, Final, Literal, Self

from pydantic import AfterValidator, ConfigDict, Discriminator, Field, Tag, model_validator

from engine.domain.policies.documents.fields import PolicyPart
from engine.domain.policies.documents.triggers import Metric, TriggerCondition
from engine.domain.values.hints import Misread
from engine.domain.values.strict import Flag

JunctionWord = Literal["all", "any", "not"]
JUNCTIONS: Final[tuple[JunctionWord, ...]] = ("all", "any", "not")
MAX_ENTRIES: Final = 16
"""The most conditions in one `all` or `any`."""
MAX_CONDITIONS: Final = 32
"""The most comparisons in one rule."""
MAX_DEPTH: Final = 4
"""The most levels in one rule; the conditions directly below the rule are the first level."""

_ONE_JUNCTION: Final[dict[str, Any]] = {
    "oneOf": [{"required": [word], "properties": {word: {"not": {"type": "null"}}}} for word in JUNCTIONS]
}
"""JSON Schema for exactly one of the keys `all`, `any` and `not`."""


def _kind_of(value: Any) -> str:
    """Return the tag of a condition: a group has one of the keys `all`, `any`, `not`, and no metric."""
    if isinstance(value, TriggerGroup):
        return "group"
    is_group = isinstance(value, Mapping) and "metric" not in value and not value.keys().isdisjoint(JUNCTIONS)
    return "group" if is_group else "condition"


class Junction(PolicyPart):
    """Conditions that are joined: exactly one of `all`, `any` and `not`."""

    model_config = ConfigDict(json_schema_extra={"allOf": [_ONE_JUNCTION]})

    all: Annotated[
        "tuple[TriggerNode, ...] | None",
        Field(min_length=1, max_length=MAX_ENTRIES, description="All of these conditions must hold."),
    ] = None
    any: Annotated[
        "tuple[TriggerNode, ...] | None",
        Field(min_length=1, max_length=MAX_ENTRIES, description="At least one of these conditions must hold."),
    ] = None
    not_: Annotated["TriggerNode | None", Field(alias="not", description="This condition must not hold.")] = None

    @model_validator(mode="after")
    def _one_junction(self) -> Self:
        given = [word for word in JUNCTIONS if self.joined(word)]
        if len(given) != 1:
            found = f"it has {' and '.join(given)}" if given else "it has none"
            raise Misread(f"exactly one of {', '.join(JUNCTIONS)} joins conditions; {found}")
        return self

    def joined(self, word: str) -> "tuple[TriggerNode, ...]":
        """Return the conditions below one of the keys `all`, `any`, `not`."""
        if word == "not":
            return () if self.not_ is None else (self.not_,)
        found: tuple[TriggerNode, ...] = (self.all if word == "all" else self.any) or ()
        return found

    @property
    def word(self) -> "JunctionWord":
        """The key that joins the conditions: `all`, `any` or `not`."""
        return next(word for word in JUNCTIONS if self.joined(word))

    @property
    def members(self) -> "tuple[TriggerNode, ...]":
        """The conditions that are joined."""
        return self.joined(self.word)

    def leaves(self) -> "Iterator[TriggerCondition]":
        """Yield the comparisons, in the order in which they are written."""
        for member in self.members:
            if isinstance(member, TriggerCondition):
                yield member
            else:
                yield from member.leaves()

    def truth(self, of: "Callable[[TriggerCondition], bool | None]") -> bool | None:
        """Return whether the conditions hold, None where that is unknown; `of` evaluates single comparisons."""
        found = [of(each) if isinstance(each, TriggerCondition) else each.truth(of) for each in self.members]
        if self.word == "not":
            return None if found[0] is None else not found[0]
        decisive = self.word == "any"
        if decisive in found:
            return decisive
        return None if None in found else not decisive


class TriggerGroup(Junction):
    """Conditions that are joined to one: an object with exactly one of `all`, `any` and `not`."""


def _of_rewrites(condition: TriggerCondition) -> TriggerCondition:
    if condition.metric is Metric.UNREFERENCED_BYTES:
        raise Misread(f"{condition.metric} starts searches for orphans only: use it in maintenance.remove_orphans.when")
    return condition


TriggerNode = Annotated[
    Annotated[TriggerCondition, AfterValidator(_of_rewrites), Tag("condition")] | Annotated[TriggerGroup, Tag("group")],
    Discriminator(_kind_of),
]


class _Named(PolicyPart):
    """The name comes before the conditions, in the schema and in answers."""

    name: Annotated[
        str,
        Field(
            pattern=r"^[A-Za-z0-9][A-Za-z0-9 _.-]{0,63}$",
            description="Name of the rule; runs show which rule started them.",
            examples=["many small files"],
        ),
    ]


class TriggerRule(Junction, _Named):
    """A named rule; a partition is due when its conditions hold, joined by exactly one of `all`, `any` and `not`."""

    input_changed: Annotated[
        Flag,
        Field(
            description="Only if the partition's files are not those that its last rewrite left: no rule fires twice."
        ),
    ] = False

    @model_validator(mode="before")
    @classmethod
    def _within_limits(cls, value: Any) -> Any:
        """Refuse too many or too deeply nested conditions before any of them is parsed."""
        open_nodes: list[tuple[Any, str, int]] = [(value, "", 0)]
        found = 0
        while open_nodes:
            node, path, depth = open_nodes.pop()
            if _kind_of(node) == "condition" and depth > 0:
                found += 1
                if found > MAX_CONDITIONS:
                    raise Misread(f"a rule has at most {MAX_CONDITIONS} conditions in all; {path} is one more")
            elif depth == MAX_DEPTH:
                raise Misread(f"conditions are nested at most {MAX_DEPTH} levels deep; {path} opens another")
            elif isinstance(node, Mapping):
                open_nodes += [(inner, f"{path}{at}", depth + 1) for at, inner in _below(node)]
        return value

    @property
    def scope(self) -> Literal["partition", "table"]:
        """The scope of evaluation: the table when all metrics are metrics of the table, otherwise each partition."""
        return "table" if all(condition.metric.of_table for condition in self.leaves()) else "partition"


Junction.model_rebuild()
TriggerGroup.model_rebuild()
TriggerRule.model_rebuild()


def _below(node: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Return the conditions of a written group with their positions, the first one last; long lists are truncated."""
    found = []
    for word in JUNCTIONS:
        inner = node.get(word)
        if isinstance(inner, list | tuple):
            found += [(f"/{word}/{at}", each) for at, each in enumerate(inner[: MAX_CONDITIONS + 1])]
        elif inner is not None:
            found.append((f"/{word}", inner))
    return found[::-1]


def _distinct(rules: tuple[TriggerRule, ...]) -> tuple[TriggerRule, ...]:
    names = [rule.name for rule in rules]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise Misread(f"two rules have the name {twice!r}: a run could not show which one started it")
    return rules


Triggers = Annotated[tuple[TriggerRule, ...], Field(max_length=32), AfterValidator(_distinct)]
