"""Secrets of catalogs: stored as references and resolved at use; their values are never stored or shown.

A property value `env:NAME` stands for an environment variable and `file:/PATH` for the text of a file (a location is
written `file:///…` and is left alone). A value in clear text is accepted for the format's `plain_properties` only, and
only without credentials inside (`domain.values.uris`); everything else has to be a reference: otherwise the record
would hold a secret in clear text, and logs and errors could show it.
"""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from engine.domain.errors import FieldProblem, InvalidInput
from engine.domain.values.hints import nearest
from engine.domain.values.uris import problem_of_clear, secret_parts
from engine.formats.base import PlainProperties

MAX_SECRET_BYTES: Final = 64 * 1024
SHORTEST_SECRET: Final = 4
"""Shortest text that is removed from messages, in characters; shorter ones would match everywhere."""

_ENV: Final = re.compile(r"env:([A-Za-z_][A-Za-z0-9_]*)")
_FILE: Final = re.compile(r"file:(/(?!/).*)")
_PLAIN_VALUES: Final = frozenset({"", "true", "false"})
_REMEDY: Final = (
    "keep the secret where api and workers can read it and give a reference: 'env:NAME' or 'file:/absolute/path'"
)


_NOT_HARMLESS: Final = "this property may contain a secret and is given in clear text"
_OWN: Final = "PACKHOUSE_"
_OWN_REMEDY: Final = "give the secret a variable or a file of its own: catalogs can't use Packhouse's own secrets"
_MACHINE: Final = ("/proc", "/sys", "/dev")
_NO_SECRETS: Final = f"files under {', '.join(_MACHINE)} are the machine's, not secrets of catalogs"

_OWN_FILES: Final = "files in the data directory (PACKHOUSE_DATA_DIR) are Packhouse's own, which no catalog gets"


def is_reference(value: str) -> bool:
    """Return whether a property's value is a reference to a secret."""
    return bool(_ENV.fullmatch(value) or _FILE.fullmatch(value))


def pointer_of(name: str) -> str:
    """Return the JSON pointer of a property (RFC 6901)."""
    return f"/properties/{name.replace('~', '~0').replace('/', '~1')}"


def problems_of_clear_secrets(properties: Mapping[str, str], plain: PlainProperties) -> list[FieldProblem]:
    """Return one problem for each property with a secret in clear text, or a reference that no catalog may use.

    A secret in clear text is never repeated.
    """
    problems = []
    for name, value in properties.items():
        pointer = pointer_of(name)
        if (message := _problem_of_reference(value)) is not None:
            problems.append(FieldProblem(pointer, message, value, _OWN_REMEDY))
        elif is_reference(value) or value.lower() in _PLAIN_VALUES:
            continue
        elif not plain.have(name):
            near = nearest(name, plain.names)
            hint = _REMEDY if near is None else f"did you mean {near!r}? Otherwise {_REMEDY}"
            problems.append(FieldProblem(pointer, _NOT_HARMLESS, None, hint))
        elif (message := problem_of_clear(value)) is not None:
            problems.append(FieldProblem(pointer, message, None, f"{_REMEDY} of the whole value"))
    return problems


def problems_of_own_files(properties: Mapping[str, str], own: Path) -> list[FieldProblem]:
    """Return one problem for each reference to a file below `own`, the folder of Packhouse's key and record."""
    return [
        FieldProblem(pointer_of(name), _OWN_FILES, value, _OWN_REMEDY)
        for name, value in properties.items()
        if (match := _FILE.fullmatch(value)) and Path(os.path.normpath(match[1])).is_relative_to(own.absolute())
    ]


def resolve_secrets(
    properties: Mapping[str, str], *, environ: Mapping[str, str], own: Path | None = None
) -> dict[str, str]:
    """Return the properties with every reference replaced by its secret. Reads files: call in a thread.

    Files below `own`, also through a link, are not read.

    Raises:
        InvalidInput: a reference can't be resolved here; the message names the reference, never a value.
    """
    resolved = {}
    problems = []
    for name, value in properties.items():
        try:
            resolved[name] = _resolve(value, environ, own)
        except (LookupError, OSError, ValueError) as error:
            problems.append(FieldProblem(f"/properties/{name}", f"the secret can't be read: {error}", value))
    if problems:
        raise InvalidInput("a catalog's secret can't be read", problems=tuple(problems))
    return resolved


def secrets_in(properties: Mapping[str, str], resolved: Mapping[str, str], plain: PlainProperties) -> set[str]:
    """Return the secrets that must not appear in messages.

    These are the values of references and of properties that are not plain, and secrets inside addresses.
    """
    values = {
        resolved[name]
        for name, value in properties.items()
        if is_reference(value) or not (plain.have(name) or value.lower() in _PLAIN_VALUES)
    }
    parts = {part for value in resolved.values() for part in secret_parts(value)}
    return {text for text in values | parts if len(text) >= SHORTEST_SECRET}


def _problem_of_reference(value: str) -> str | None:
    """Return why a reference is forbidden: callers who create catalogs could send its value to a server they choose."""
    if (match := _ENV.fullmatch(value)) and match[1].upper().startswith(_OWN):
        return f"{_OWN}* are settings of Packhouse itself, which no catalog gets"
    if (match := _FILE.fullmatch(value)) and _is_of_machine(Path(os.path.normpath(match[1]))):
        return _NO_SECRETS
    return None


def _is_of_machine(path: Path) -> bool:
    return any(path.is_relative_to(folder) for folder in _MACHINE)


def _resolve(value: str, environ: Mapping[str, str], own: Path | None) -> str:
    if (message := _problem_of_reference(value)) is not None:
        raise ValueError(message)
    if match := _ENV.fullmatch(value):
        if match[1] not in environ:
            message = f"the environment variable {match[1]} is not set in this process"
            raise LookupError(message)
        return environ[match[1]]
    if match := _FILE.fullmatch(value):
        return _read(Path(match[1]), own)
    return value


def _read(path: Path, own: Path | None) -> str:
    if _is_of_machine(path.resolve()):
        raise ValueError(_NO_SECRETS)
    if own is not None and path.resolve().is_relative_to(own.resolve()):
        raise ValueError(_OWN_FILES)
    with path.open("rb") as file:
        content = file.read(MAX_SECRET_BYTES + 1)
    if len(content) > MAX_SECRET_BYTES:
        message = f"{path} is larger than {MAX_SECRET_BYTES} bytes"
        raise ValueError(message)
    try:
        return content.decode().strip()
    except UnicodeDecodeError:
        message = f"{path} is not UTF-8 text"
        raise ValueError(message) from None
