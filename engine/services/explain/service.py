"""Explain why a table did or did not run, whether it is due, its holds, and the plan of a run now."""

from collections.abc import Mapping
from typing import Any

from engine.domain.access.callers import Caller
from engine.domain.ids import TableId
from engine.services.explain.decisions import decide
from engine.services.explain.document import explanation
from engine.services.explain.reader import FactReader
from engine.services.explain.starts import starts_by_itself


class ExplainService:
    """Explains registered tables."""

    def __init__(self, *, facts: FactReader) -> None:
        self._facts = facts

    async def explain(self, caller: Caller, table_id: TableId) -> Mapping[str, Any]:
        """Return the explanation of a table, see `services.explain.document`.

        Raises:
            NotFound: no such table, or none that the caller may see.
        """
        facts = await self._facts.read(caller, table_id)
        if starts_by_itself(facts) and decide(facts).request is not None:
            facts = await self._facts.wake(facts)  # the next evaluation would start a run: schedule it now
        return explanation(facts)
