"""Read documents from YAML or JSON files, from `key=value` words with dotted keys, and from the server's answers."""

from collections.abc import Iterable, Mapping
from typing import Any, Final, TextIO, TypeGuard

import yaml

from packhouse.documents import yaml_reading
from packhouse.exit_codes import ExitCode
from packhouse.problems import CommandError

_SIZES: Final = frozenset({"bandwidth", "available_bandwidth", "bytes_per_day"})
_UNITS: Final = {"GiB": 2**30, "MiB": 2**20, "GB": 10**9, "MB": 10**6, "KiB": 2**10, "kB": 10**3}


def read_document(file: TextIO) -> dict[str, Any]:
    """Read a YAML or JSON mapping.

    Raises:
        CommandError: not readable, or not a mapping.
    """
    name = getattr(file, "name", "the file")
    try:
        found = yaml_reading.load(file.read(yaml_reading.MOST_CHARACTERS + 1))  # a device or a pipe may have no end
    except (UnicodeDecodeError, yaml.YAMLError) as error:
        raise CommandError(f"{name} is neither YAML nor JSON: {error}", ExitCode.USAGE) from None
    if not isinstance(found, dict):
        raise CommandError(f"{name} holds no mapping", ExitCode.USAGE, "write fields such as `enabled: true`")
    return found


def assignments(words: Iterable[str]) -> dict[str, str]:
    """Read `KEY=VALUE` words; values stay text.

    Raises:
        CommandError: a word without key or `=`.
    """
    pairs = [word.partition("=") for word in words]
    for key, equals, _ in pairs:
        if not key or not equals:
            raise CommandError(f"{key + equals!r} is not an assignment", ExitCode.USAGE, "write key=value")
    return {key: value for key, _, value in pairs}


def with_fields(document: Mapping[str, Any], words: Iterable[str], unset: Iterable[str] = ()) -> dict[str, Any]:
    """Return a document with dotted fields set: `limits.bandwidth=80MB`. `null` removes a field.

    Values are read as YAML: `true`, `5` and `0.3` have their YAML types. A text that is not YAML and begins no list,
    mapping or quoted text is used unchanged: a cron expression needs no extra quotes.

    Args:
        document: the document to change; a copy is returned.
        words: `KEY=VALUE` words.
        unset: dotted fields to remove.

    Raises:
        CommandError: a value is not YAML, or a field is inside of a value.
    """
    changed = _copy(document)
    for key, text in assignments(words).items():
        _put(changed, key.split("."), _value(key, text), key)
    for key in unset:
        _put(changed, key.split("."), None, key)
    return without_nulls(changed)


def without_nulls(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document without its null fields and without sections that become empty."""
    kept: dict[str, Any] = {}
    for name, value in document.items():
        inner = without_nulls(value) if isinstance(value, Mapping) else value
        if inner is not None and inner != {}:
            kept[name] = inner
    return kept


def _value(key: str, text: str) -> Any:
    try:
        return yaml_reading.load(text)
    except yaml.YAMLError:
        if not text.lstrip().startswith(("[", "{", '"', "'")):
            return text  # `*/5 * * * *` is a cron expression, and an alias to YAML
        hint = "write a word, a number, or YAML in quotes: --set 'quiet_hours=[{from: 09:00, to: 17:00}]'"
        raise CommandError(f"{key}: {text!r} is not YAML", ExitCode.USAGE, hint) from None


def _put(node: dict[str, Any], path: list[str], value: object, key: str) -> None:
    *parents, last = path
    for name in parents:
        node = node.setdefault(name, {})
        if not isinstance(node, dict):
            raise CommandError(f"{key}: {name} is a value, not a section", ExitCode.USAGE)
    node[last] = value


def _copy(document: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _copy(value) if isinstance(value, Mapping) else value for name, value in document.items()}


def written(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return the document of a policy in the units in which it was written; older servers do not keep them."""
    found: dict[str, Any] = stored["written"] if "written" in stored else with_sizes(stored["policy"])
    return found


def with_sizes(value: Any, name: str = "") -> Any:
    """Return a document, or the value of a setting, with exact readable sizes: `128MiB`."""
    match value:
        case dict():
            return {key: with_sizes(inner, key) for key, inner in value.items()}
        case list():
            return [with_sizes(inner) for inner in value]
        case _ if is_size(value, name):
            return next((f"{value // step}{unit}" for unit, step in _UNITS.items() if value % step == 0), value)
        case _:
            return value


def is_size(value: object, name: str) -> TypeGuard[int]:
    """Return whether the value of a setting is a size in bytes, by the setting's name."""
    last = name.rpartition(".")[2]
    return type(value) is int and value > 0 and (last.endswith("_bytes") or last in _SIZES)
