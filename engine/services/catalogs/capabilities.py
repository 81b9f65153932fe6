"""The capability matrix of this installation, and the refusal of unsupported operations and settings."""

from collections.abc import Mapping, Sequence
from typing import Any

from engine.domain.access.callers import Caller
from engine.domain.errors import FieldProblem, InvalidInput
from engine.domain.remedies import remedy
from engine.domain.runs.run import Operation
from engine.domain.tables.capabilities import NO_ORIGINS, Capabilities, Capability, not_served
from engine.domain.tables.table import FormatName


class CapabilityService:
    """Returns the operations and settings that each format supports; `served` has the formats of this installation."""

    def __init__(self, *, served: Mapping[FormatName, Capabilities]) -> None:
        self._served = dict(served)

    def list(self, _caller: Caller) -> Sequence[Capabilities]:
        """Return the matrix of every format; one that is not served has that reason in every cell."""
        return [self.of(name) for name in FormatName]

    def of(self, name: FormatName) -> Capabilities:
        """Return the matrix of one format."""
        return self._served.get(name) or not_served(name)

    def operation(self, name: FormatName, operation: Operation) -> Capability:
        """Return whether tables of a format support an operation."""
        return self.of(name).operation(operation)

    def check_operation(self, name: FormatName, operation: Operation) -> None:
        """Raise `InvalidInput` with the operation and the reason if tables of this format do not support it."""
        capability = self.operation(name, operation)
        if not capability.possible:
            hint = "see which operations each table format supports"
            problem = FieldProblem("/operation", capability.reason, operation.value, hint, remedy("list_formats"))
            raise InvalidInput(f"{operation.value} can't be done: {capability.reason}", problems=(problem,))

    def check_settings(
        self, name: FormatName, values: Mapping[str, Any], origins: Mapping[str, str] = NO_ORIGINS
    ) -> None:
        """Raise `InvalidInput` with one problem for each setting (by dotted name) that the format does not support."""
        if problems := refusal_problems(self.of(name), values, origins):
            what = "; ".join(f"{each.pointer[1:].replace('/', '.')}: {each.message}" for each in problems)
            raise InvalidInput(
                f"the policy has settings that {name.value} tables do not support: {what}", problems=problems
            )


def refusal_problems(
    capabilities: Capabilities, values: Mapping[str, Any], origins: Mapping[str, str] = NO_ORIGINS
) -> tuple[FieldProblem, ...]:
    """Return one problem for each setting among `values` (by dotted name) that the format does not support.

    Each hint names the origin of the setting if `origins` has it.
    """
    hint = f"see what {capabilities.format.value} tables support"
    return tuple(
        FieldProblem(
            "/" + refusal.field.replace(".", "/"),
            refusal.reason,
            refusal.value,
            f"origin: {origins[refusal.field]}; {hint}" if refusal.field in origins else hint,
            remedy("list_formats"),
        )
        for refusal in capabilities.refusals(values, origins)
    )
