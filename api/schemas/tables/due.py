"""Whether the rules of a policy make a table due, in plan, health and explain."""

from pydantic import Field

from api.schemas.common import Answer
from api.schemas.remedies import Statement


class NeverDue(Answer):
    """Avoidable files that a rewrite would merge and that no rule makes due unless more files are written."""

    files: int = Field(description="Such files.")
    partitions: int = Field(description="Partitions that have such files.")
    too_few_files: int = Field(
        description="Number of these files in partitions with fewer candidates than `rewrite.min_input_files`."
    )
    of_files: int = Field(description="All data files of the table.")


class DueState(Answer):
    """Judgment of the policy's rules on the table now, with reasons."""

    is_due: bool = Field(description="True: at least one rule is due.")
    because: list[Statement] = Field(description="One for each due rule, with the measured values in its text.")
    never_due: NeverDue = Field(description="Avoidable files that no rule makes due.")
    advice: list[Statement] = Field(
        description="Advice if a tenth of the data files or more would never be due; otherwise empty."
    )
