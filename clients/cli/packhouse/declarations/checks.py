"""Check declared steps by dry runs on the server: the effect of each, or why it would be refused.

If the server can't check a step now (it does not answer, the key is not valid), the command ends with the exit code of
that error, so that a job can be repeated.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from packhouse_client import PackhouseError

from packhouse import problems
from packhouse.declarations.inventories import Key, Source
from packhouse.declarations.plans import Step
from packhouse.exit_codes import ExitCode
from packhouse.problems import CommandError

_NOT_CHECKED: Final = frozenset({ExitCode.UNREACHABLE, ExitCode.UNAUTHENTICATED})


@dataclass(frozen=True, slots=True)
class Checked:
    """A step with its dry run.

    Attributes:
        effect: the server's preview; None where the API has none, and for a step that would be refused.
        refusal: why the step would be refused.
        source: the file that declares the object; None for deletions.
    """

    step: Step
    effect: Mapping[str, Any] | None = None
    refusal: CommandError | None = None
    source: Source | None = None

    @property
    def deletions(self) -> Mapping[str, Any] | None:
        """Files and history that the step would delete first, or more of than before."""
        return None if self.effect is None else self.effect.get("deletions")

    def reasons(self) -> Iterator[tuple[str, str, str]]:
        """Yield each reason of a refusal: its file and line (empty: unknown), the message, and the correction."""
        if self.refusal is None:
            return
        fields = list(problems.fields_of(self.refusal.cause))
        if not fields:
            yield self._at(""), self.refusal.message, self.refusal.hint or ""
        for pointer, message, hint in fields:
            yield self._at(pointer), message, hint

    def document(self) -> dict[str, Any]:
        """Return the step for a script; without the token by which a writer acknowledges deletions."""
        step, effect = self.step, self.effect
        if effect is not None and self.deletions is not None:
            effect = {**effect, "deletions": {**self.deletions, "acknowledge": None}}
        reasons = [{"at": at or None, "message": message, "hint": hint or None} for at, message, hint in self.reasons()]
        return {**document(step), "effect": effect, "refused": reasons}

    def _at(self, pointer: str) -> str:
        return "" if self.source is None else self.source.at(pointer)


def document(step: Step) -> dict[str, Any]:
    """Return a step for a script."""
    return {"verb": step.verb, "kind": step.kind, "name": step.name, "lines": list(step.lines)}


def check(steps: Sequence[Step], sources: Mapping[Key, Source]) -> list[Checked]:
    """Return each step with its dry run.

    Raises:
        PackhouseError: the server does not answer, or does not accept the key.
    """
    return [_checked(step, sources.get(step.key)) for step in steps]


def _checked(step: Step, source: Source | None) -> Checked:
    if step.refusal is not None or step.check is None:
        return Checked(step, None, step.refusal, source)
    try:
        return Checked(step, step.check(), None, source)
    except PackhouseError as error:
        shown = problems.of(error)
        if shown.code in _NOT_CHECKED:
            raise
        return Checked(step, None, shown, source)
