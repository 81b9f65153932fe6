"""Reports in the form of Iceberg's REST specification, `ReportMetricsRequest`."""

from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, WithJsonSchema

from api.schemas.common import JsonObject
from engine.domain.tables.scans import Scan, scan_of

_AS_ICEBERG: Final = "https://iceberg.apache.org/rest-catalog-spec"
_EXAMPLE: Final[JsonObject] = {
    "report-type": "scan-report",
    "table-name": "lake.sales.orders",
    "filter": {"type": "eq", "term": "city", "value": "(hash-1f2a7c3b)"},
    "metrics": {
        "result-data-files": {"unit": "count", "value": 120},
        "result-delete-files": {"unit": "count", "value": 3},
        "total-planning-duration": {"count": 1, "time-unit": "nanoseconds", "total-duration": 84000000},
    },
}


def _typed(*types: str, of: str) -> WithJsonSchema:
    return WithJsonSchema({"type": [*types, "null"], "description": of})


class MetricsReport(BaseModel):
    """A report about one scan of a table, or one commit to it. Other fields of the specification are not read."""

    model_config = ConfigDict(extra="ignore", frozen=True, json_schema_extra={"examples": [_EXAMPLE]})

    report_type: Literal["scan-report", "commit-report"] = Field(
        alias="report-type", description="`scan-report` is counted; `commit-report` schedules a look at the table."
    )
    filter: Annotated[
        JsonObject | StrictBool | None,
        _typed(
            "object", "boolean", of=f"The scan's filter, an expression of {_AS_ICEBERG}; its literals are not kept."
        ),
    ] = None
    metrics: Annotated[JsonObject | None, _typed("object", of=f"Metrics by name, as in {_AS_ICEBERG}.")] = None

    def scan(self) -> Scan:
        """Return the scan that it reports."""
        return scan_of(self.filter, self.metrics or {})
