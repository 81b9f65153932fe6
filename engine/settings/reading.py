"""Reads the settings from the environment.

An invalid value, or a name that looks misspelt, is an error that names the variable: a silently ignored setting would
only be noticed when it is needed.
"""

import difflib
import os
from collections.abc import Iterator, Mapping
from typing import Any, Final, get_args

from pydantic import SecretStr, ValidationError

from engine.domain.errors import FieldProblem, InvalidInput
from engine.domain.values.hints import Misread, nearest
from engine.domain.values.validation_messages import message_of
from engine.settings.model import Settings
from engine.settings.process import PREFIX

_OF_CLIENTS: Final = frozenset({"URL", "API_KEY", "COMPLETE"})
"""Variables of the command line and the SDKs, which may share an environment with a server."""

_SIMILAR: Final = 0.8


def read_settings() -> Settings:
    """Return the settings of the process's environment.

    Raises:
        InvalidInput: values that can't be used, and names that look like a misspelt setting; one problem for each.
    """
    given = {name.upper().removeprefix(PREFIX): name for name in os.environ if name.upper().startswith(PREFIX)}
    known = {name.upper(): name for name in Settings.model_fields}
    problems = list(_misspelt(given, known))
    settings = None
    try:
        settings = Settings()
    except ValidationError as error:
        problems += _refused(error, given)
    if settings is None or problems:
        listed = "".join(f"\n  {_in_words(problem)}" for problem in problems)
        raise InvalidInput(f"settings that can't be used:{listed}", problems=tuple(problems))
    return settings


def is_secret(field: str) -> bool:
    """Return whether the value of a field never appears in errors."""
    alternatives = get_args(Settings.model_fields[field].annotation)
    return any(each is SecretStr or SecretStr in get_args(each) for each in alternatives)


def _misspelt(given: Mapping[str, str], known: Mapping[str, str]) -> Iterator[FieldProblem]:
    """Yield names similar to a setting's. Others are accepted: Kubernetes sets `PACKHOUSE_SERVICE_HOST` and others."""
    for key, name in given.items():
        if key in known or key in _OF_CLIENTS:
            continue
        without_unit = (each for each in known if each.startswith(f"{key}_"))  # RUN_RETENTION for RUN_RETENTION_SECONDS
        near = next(without_unit, None) or nearest(key, known)
        if near is not None and (near.startswith(f"{key}_") or _is_near(key, near)):
            yield FieldProblem(name, "no such setting", None, f"did you mean {PREFIX}{near}?")


def _is_near(key: str, near: str) -> bool:
    return difflib.SequenceMatcher(None, key, near).ratio() >= _SIMILAR


def _refused(error: ValidationError, given: Mapping[str, str]) -> Iterator[FieldProblem]:
    for found in error.errors():
        field = str(found["loc"][0])
        name = given.get(field.upper(), PREFIX + field.upper())
        value = None if is_secret(field) else found["input"]
        inside = ".".join(map(str, found["loc"][1:]))
        message = f"{inside}: {message_of(found)}" if inside else message_of(found)
        yield FieldProblem(name, message, value, _remedy(found))


def _remedy(found: Mapping[str, Any]) -> str | None:
    if str(found["input"]).startswith("tcp://"):
        return "Kubernetes sets it for a service of this name: rename the service, or set enableServiceLinks to false"
    error = found.get("ctx", {}).get("error")
    return error.hint if isinstance(error, Misread) else None


def _in_words(problem: FieldProblem) -> str:
    value = "" if problem.value is None else f" ({problem.value!r:.100})"
    return f"{problem.pointer}: {problem.message}{value}" + (f"; {problem.hint}" if problem.hint else "")
