"""Names of policies of wider scopes than a table."""

import re
from typing import Final

from engine.domain.errors import FieldProblem, InvalidInput

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_TABLE_PREFIX: Final = "tbl_"


def is_name_of_table(name: str) -> bool:
    """Return whether a name is reserved for tables' own policies, which other callers may not see."""
    return name.startswith(_TABLE_PREFIX)


def check_policy_name(name: str) -> None:
    """Raise `InvalidInput` unless a policy of a wider scope can have this name."""
    if _NAME.fullmatch(name) and not is_name_of_table(name):
        return
    message = (
        "a policy's name is 1 to 64 letters, digits, '_' or '-', begins with a letter or digit and not with 'tbl_'"
    )
    problem = FieldProblem("/name", message, name, "choose a short name such as 'nightly'")
    raise InvalidInput("the policy's name can't be used", problems=(problem,))
