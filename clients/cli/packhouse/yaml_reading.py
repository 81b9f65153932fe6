"""Reading YAML by the rules of YAML 1.2, as people mean it in policies.

PyYAML follows YAML 1.1, in which `off` is false, `17:00` is the number 1020, and `2026-12-24` a date, which JSON can't
say. Here only `true` and `false` are booleans, numbers are decimal, everything else is text; a key that comes twice is
refused.
"""

import re
from collections.abc import Hashable
from typing import Any, ClassVar

import yaml


def load(text: str) -> Any:
    """Return the one document of a text, None for an empty one.

    Raises:
        yaml.YAMLError: the text is no YAML; its words say where.
    """
    return yaml.load(text, _Loader)  # noqa: S506 - derived from SafeLoader


def load_all(text: str) -> list[Any]:
    """Return every document of a text.

    Raises:
        yaml.YAMLError: the text is no YAML; its words say where.
    """
    return list(yaml.load_all(text, _Loader))


class _Loader(yaml.SafeLoader):
    """Plain words by the core schema of YAML 1.2."""

    yaml_implicit_resolvers: ClassVar[dict[str, Any]] = {}  # type: ignore[misc]

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        """Refuse a key that comes twice: the later one would win in silence."""
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
