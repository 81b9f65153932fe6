"""What is sent to Spark for one group: the task of an engine, and what changes with each send."""

import json
from dataclasses import asdict, dataclass, field

from engine.rewriting.kernel.contract import Pace


@dataclass(frozen=True, slots=True)
class EngineTask:
    """The rewrite of one group by an engine; only the table's format and the engine read `body`.

    `engine` is a name of `engine.rewriting.entry.ENGINES`. `body` is the JSON of the engine's own task, for the kernel
    a `GroupTask`: an object with at least a `name_prefix` for names of files.
    """

    engine: str
    body: str


@dataclass(frozen=True, slots=True)
class SentTask:
    """A task with what each send decides: `part` numbers the sends of an attempt, and no two share names of files.

    `storage`: properties of the table's storage, with credentials.
    """

    task: EngineTask
    pace: Pace = field(default_factory=Pace)
    part: int = 0
    storage: dict[str, str] = field(default_factory=dict, repr=False)

    def to_json(self) -> str:
        """Return the engine's task as JSON, with `pace`, `storage`, and the part at the end of its `name_prefix`."""
        body = json.loads(self.task.body)
        prefix = f"{body['name_prefix']}{self.part:05}"
        sent = {"name_prefix": prefix, "storage": self.storage, "pace": asdict(self.pace)}
        return json.dumps({**body, "engine": self.task.engine, **sent}, separators=(",", ":"))
