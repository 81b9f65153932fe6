"""File groups of live runs, as writers of their partition need to know them."""

from dataclasses import dataclass

from engine.domain.ids import RunId


@dataclass(frozen=True, slots=True)
class OpenGroup:
    """A file group that a live run has neither committed nor dropped.

    Attributes:
        run_id: the run.
        input_path: the path of one of its inputs.
        output_path: the path of one of its outputs; None until it is written.
        has_input: whether one of its inputs has the name that was asked for.
    """

    run_id: RunId
    input_path: str
    output_path: str | None
    has_input: bool
