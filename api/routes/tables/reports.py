"""Reports of Iceberg's clients, at the path and in the form of Iceberg's REST specification."""

from typing import Annotated, Final

from fastapi import APIRouter, Path

from api.deps import CatalogName, OperatorDep, ServicesDep
from api.problems.responses import WITH_BODY, problems
from api.schemas.tables.reports import MetricsReport

router = APIRouter(prefix="/v1/iceberg/v1", tags=["signals"])

_LEVELS: Final = "\x1f"
"""The character between levels of a namespace, as the specification has it."""


@router.post(
    "/{name}/namespaces/{namespace}/tables/{table}/metrics",
    status_code=204,
    summary="Report a scan or a commit of an Iceberg table",
    responses=problems(*WITH_BODY, "not_found"),
)
async def report_metrics(
    *,
    name: CatalogName,
    namespace: Annotated[
        str,
        Path(
            min_length=1,
            max_length=1000,
            description="Levels of the namespace, joined by the unit separator (`%1F`).",
            examples=["sales"],
        ),
    ],
    table: Annotated[str, Path(min_length=1, max_length=255, description="Name of the table.", examples=["orders"])],
    body: MetricsReport,
    services: ServicesDep,
    caller: OperatorDep,
) -> None:
    """Count a scan, with the columns that its filter names, for the advice of the table; or look at it after a commit.

    Clients of Iceberg send these reports to their catalog: let it, or a gateway in front of it, send them here as well.
    """
    table_id = await services.scans.find(caller, name, namespace.split(_LEVELS), table)
    if body.report_type == "scan-report":
        await services.scans.add(caller, table_id, body.scan())
    else:
        await services.scans.note_commit(caller, table_id)
