# Generated from openapi.yaml by clients/generate.py; do not edit.
from enum import StrEnum


class ListFleetTablesSort(StrEnum):
    BENEFIT_PER_COST = "benefit_per_cost"
    DUE_SINCE = "due_since"
    HOLD = "hold"
    LAST_RUN = "last_run"
    NEXT_LOOK_AT = "next_look_at"
    SCORE = "score"
    VALUE_1 = "-benefit_per_cost"
    VALUE_11 = "-score"
    VALUE_13 = "-verdict"
    VALUE_3 = "-due_since"
    VALUE_5 = "-hold"
    VALUE_7 = "-last_run"
    VALUE_9 = "-next_look_at"
    VERDICT = "verdict"

    def __str__(self) -> str:
        return str(self.value)
