"""Routes for the parts of a policy: presets to start from, and the schema of the document."""

from typing import Annotated, Any, Final

from fastapi import APIRouter, Path

from api.deps import ViewerDep
from api.problems.responses import problems
from api.schemas.policies.presets import Preset, PresetList
from engine.domain.policies import PRESETS
from engine.domain.policies.documents.schema import policy_schema
from engine.services.policies.effective import find_preset

router = APIRouter(prefix="/v1", tags=["policies"])

PresetName = Annotated[
    str, Path(max_length=64, pattern=r"^[A-Za-z0-9_-]+$", description="Name of the preset.", examples=["balanced"])
]
_SCHEMA: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "content": {
            "application/json": {
                "example": {
                    "$schema": "https://json-schema.org/draft/2020-12/schema",
                    "title": "Packhouse policy",
                    "type": "object",
                    "properties": {"enabled": {"anyOf": [{"type": "boolean"}, {"type": "null"}]}},
                    "additionalProperties": False,
                }
            }
        }
    }
}


@router.get("/presets", summary="List presets", responses=problems("invalid_input"))
async def list_presets(_caller: ViewerDep) -> PresetList:
    """List the named bases of policies, each with where its figures come from."""
    return PresetList.of(PRESETS.values())


@router.get("/presets/{name}", summary="Show a preset", responses=problems("not_found", "invalid_input"))
async def get_preset(name: PresetName, _caller: ViewerDep) -> Preset:
    """Show a preset."""
    return Preset.from_domain(find_preset(name))


@router.get("/policy-schema", summary="Show the JSON Schema of a policy", responses=_SCHEMA | problems("invalid_input"))
async def get_policy_schema(_caller: ViewerDep) -> dict[str, Any]:
    """Show the schema of a policy document (draft 2020-12), for editors to complete from and to check with."""
    return policy_schema()
