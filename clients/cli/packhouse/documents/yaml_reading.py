"""Read YAML by the rules of YAML 1.2, as expected in policies.

PyYAML follows YAML 1.1, in which `off` is false, `17:00` is the number 1020, and `2026-12-24` a date, which JSON does
not have. Here only `true` and `false` are booleans, numbers are decimal, everything else is text; a duplicate key is
refused. The types are those of JSON: tags of others, such as `!!set` or `!!timestamp`, are refused.

Files come from repositories with many writers: nine lines of aliases to aliases would expand to a billion values,
PyYAML needs seconds for a megabyte, and reading a number takes time with the square of its digits, so all are limited.
"""

import re
from collections.abc import Hashable, Iterable
from typing import Any, ClassVar, Final

import yaml

MOST_CHARACTERS: Final = 4 * 2**20
"""Most characters of one text."""

MOST_VALUES: Final = 200_000
"""Most values of one text, with the values of aliases counted at each use; ten thousand policies have fewer."""

DEEPEST: Final = 100
"""Most levels of nested lists and mappings."""

MOST_DIGITS: Final = 4300
"""Most digits of a number: the interpreter's own limit for integers."""

_TAG: Final = "tag:yaml.org,2002:"
_SHOWN_CHARACTERS: Final = 80
_KINDS: Final = {"null": "null", "bool": "a boolean", "int": "a number", "float": "a number", "str": "text"}


def load(text: str) -> Any:
    """Return the one document of a text, None for an empty one.

    Raises:
        yaml.YAMLError: the text is not YAML, or larger than the limits above; the message has the position.
    """
    return yaml.load(_bounded(text), _Loader)  # noqa: S506 - derived from SafeLoader


def load_all(text: str) -> list[tuple[Any, yaml.Node]]:
    """Return every document of a text with its node, from which `line_of` reads lines.

    Raises:
        yaml.YAMLError: the text is not YAML, or larger than the limits above; the message has the position.
    """
    loader: Any = _Loader(_bounded(text))
    found = []
    while loader.check_node():
        node = loader.get_node()
        found.append((loader.construct_document(node), node))
    return found


def line_of(node: yaml.Node, path: Iterable[str]) -> int:
    """Return the line of the value at a path of keys and indexes, or of the last value on the way that is there."""
    line = node.start_mark.line
    for name in path:
        if isinstance(node, yaml.MappingNode):
            pair = next((pair for pair in node.value if pair[0].value == name), None)
        elif isinstance(node, yaml.SequenceNode) and name.isdecimal() and int(name) < len(node.value):
            pair = (node.value[int(name)],) * 2
        else:
            pair = None
        if pair is None:
            break
        line, node = pair[0].start_mark.line, pair[1]
    return int(line) + 1


def _bounded(text: str) -> str:
    if len(text) > MOST_CHARACTERS:
        raise yaml.YAMLError(f"the text has more characters than {MOST_CHARACTERS:,}, which is the limit")
    return text


class _Loader(yaml.SafeLoader):
    """Loader that resolves plain scalars by the core schema of YAML 1.2."""

    yaml_implicit_resolvers: ClassVar[dict[str, Any]] = {}  # type: ignore[misc]
    yaml_constructors: ClassVar[dict[Any, Any]] = {
        tag: yaml.SafeLoader.yaml_constructors[tag]
        for tag in (None, *(_TAG + name for name in (*_KINDS, "seq", "map")))
    }

    def __init__(self, stream: str) -> None:
        super().__init__(stream)
        self._depth = 0
        self._values = 0
        self._sizes: dict[int, int] = {}

    def compose_node(self, parent: yaml.Node | None, index: Any) -> Any:
        """Count the values below each node during composition, including those of aliases."""
        event: Any = self.peek_event()  # type: ignore[no-untyped-call]
        is_alias = self.check_event(yaml.AliasEvent)
        self._depth += 1
        if self._depth > DEEPEST:
            raise yaml.composer.ComposerError(None, None, f"it is nested more than {DEEPEST} levels", event.start_mark)
        before = self._values
        node: Any = super().compose_node(parent, index)
        self._depth -= 1
        if is_alias and id(node) not in self._sizes:
            raise yaml.composer.ComposerError(
                None, None, "the alias refers to an object that contains it", event.start_mark
            )
        self._values += self._sizes[id(node)] if is_alias else 1
        if self._values > MOST_VALUES:
            problem = f"there are more than {MOST_VALUES:,} values, counting aliases as the values they refer to"
            raise yaml.composer.ComposerError(None, None, problem, event.start_mark)
        if not is_alias:
            self._sizes[id(node)] = self._values - before
        return node

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        """Build a value; a number that is too long, or text that is not of its tag (`!!int x`), is an error."""
        is_number = node.tag in (_TAG + "int", _TAG + "float")
        if is_number and len(node.value) > MOST_DIGITS:
            problem = f"a number of {len(node.value):,} digits; {MOST_DIGITS:,} is the limit"
            raise yaml.constructor.ConstructorError(None, None, problem, node.start_mark)
        try:
            return super().construct_object(node, deep)
        except (ValueError, KeyError, IndexError):
            shown, kind = str(node.value)[:_SHOWN_CHARACTERS], _KINDS.get(node.tag.removeprefix(_TAG), "a value")
            problem = f"{shown!r} is not {kind}"
            raise yaml.constructor.ConstructorError(None, None, problem, node.start_mark) from None

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        """Build a mapping; refuse a duplicate key, because the later one would silently win."""
        seen: set[Any] = set()
        for key_node, _ in node.value:
            key = key_node.value
            if isinstance(key, str) and key in seen and key != "<<":
                raise yaml.constructor.ConstructorError(None, None, f"{key!r} comes twice", key_node.start_mark)
            seen.add(key if isinstance(key, str) else id(key_node))
        return super().construct_mapping(node, deep)


_Loader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(r"(?:~|null|Null|NULL|)\Z"), ["~", "n", "N", ""])
_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"(?i:true|false)\Z"), list("tTfF"))
_Loader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(r"[-+]?(?:0|[1-9][0-9]*)\Z"), list("-+0123456789"))
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?\Z"),
    list("-+.0123456789"),
)
_Loader.add_implicit_resolver("tag:yaml.org,2002:merge", re.compile(r"<<\Z"), ["<"])
