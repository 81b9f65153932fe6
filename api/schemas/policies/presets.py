"""Presets on the wire."""

from collections.abc import Iterable
from typing import Self

from pydantic import Field

from api.schemas.common import Answer
from api.schemas.policies.policy import Policy
from engine.domain.policies import Preset as DomainPreset


class Preset(Answer):
    """A named base to start from; a policy's own settings win over it."""

    name: str = Field(examples=["balanced"])
    summary: str = Field(description="Purpose of the preset.")
    source: str = Field(description="Source of its figures.")
    policy: Policy

    @classmethod
    def from_domain(cls, preset: DomainPreset) -> Self:
        """Return the wire form."""
        return cls(name=preset.name, summary=preset.summary, source=preset.source, policy=preset.document)


class PresetList(Answer):
    """All presets."""

    items: list[Preset]

    @classmethod
    def of(cls, presets: Iterable[DomainPreset]) -> Self:
        """Return the wire form."""
        return cls(items=[Preset.from_domain(preset) for preset in presets])
