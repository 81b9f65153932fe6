# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import (
    TYPE_CHECKING,
    Any,
    Literal,
    TypeVar,
    cast,
)

from attrs import define as _attrs_define

from ..models.policy_document_input_preset_type_0 import PolicyDocumentInputPresetType0
from ..models.policy_document_input_priority_type_0 import (
    PolicyDocumentInputPriorityType0,
)
from ..models.policy_document_input_verification_type_0 import (
    PolicyDocumentInputVerificationType0,
)
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.backoff import Backoff
    from ..models.blackout_input import BlackoutInput
    from ..models.limit_settings_input import LimitSettingsInput
    from ..models.maintenance_settings import MaintenanceSettings
    from ..models.quiet_hours import QuietHours
    from ..models.rewrite_settings_input import RewriteSettingsInput
    from ..models.schedule_settings import ScheduleSettings
    from ..models.seal import Seal
    from ..models.trigger_rule_input import TriggerRuleInput


T = TypeVar("T", bound="PolicyDocumentInput")


@_attrs_define
class PolicyDocumentInput:
    """A policy. Sizes are bytes or strings such as `128MiB`, durations strings such as `6h`; rates are per second."""

    backoff: Backoff | Literal["off"] | None | Unset = UNSET
    """ Slow down while queries are slow. """
    blackouts: list[BlackoutInput] | None | Unset = UNSET
    """ Ranges of dates in which nothing new is rewritten. """
    enabled: bool | None | Unset = UNSET
    """ `false`: the table is measured but never rewritten. """
    limits: LimitSettingsInput | None | Unset = UNSET
    """ Limits on what its rewrites move. """
    maintenance: MaintenanceSettings | None | Unset = UNSET
    """ Upkeep other than rewriting data files. """
    preset: None | PolicyDocumentInputPresetType0 | Unset = UNSET
    """ A named base; settings of any policy override it. """
    priority: None | PolicyDocumentInputPriorityType0 | Unset = UNSET
    """ Priority of the table's runs over those of other tables. """
    quiet_hours: list[QuietHours] | None | Unset = UNSET
    """ Windows of each week in which nothing new is rewritten. """
    rewrite: None | RewriteSettingsInput | Unset = UNSET
    """ Selection of files to rewrite, and layout of their replacements. """
    schedule: None | ScheduleSettings | Unset = UNSET
    """ Times at which the table is looked at. """
    seal: Literal["off"] | None | Seal | Unset = UNSET
    """ Rewrite sealed partitions only. """
    triggers: list[TriggerRuleInput] | None | Unset = UNSET
    """ Named rules; a partition is due when any of them holds. """
    verification: None | PolicyDocumentInputVerificationType0 | Unset = UNSET
    """ Proof of a rewrite: by `metadata` alone, or by row hashes of some (`sample`) or all (`content`) groups too.
    """

    def to_dict(self) -> dict[str, Any]:
        from ..models.backoff import Backoff  # noqa: PLC0415
        from ..models.limit_settings_input import LimitSettingsInput  # noqa: PLC0415
        from ..models.maintenance_settings import MaintenanceSettings  # noqa: PLC0415
        from ..models.rewrite_settings_input import RewriteSettingsInput  # noqa: PLC0415
        from ..models.schedule_settings import ScheduleSettings  # noqa: PLC0415
        from ..models.seal import Seal  # noqa: PLC0415

        backoff: dict[str, Any] | Literal["off"] | None | Unset
        if isinstance(self.backoff, Unset):
            backoff = UNSET
        elif isinstance(self.backoff, Backoff):
            backoff = self.backoff.to_dict()
        else:
            backoff = self.backoff

        blackouts: list[dict[str, Any]] | None | Unset
        if isinstance(self.blackouts, Unset):
            blackouts = UNSET
        elif isinstance(self.blackouts, list):
            blackouts = []
            for blackouts_type_0_item_data in self.blackouts:
                blackouts_type_0_item = blackouts_type_0_item_data.to_dict()
                blackouts.append(blackouts_type_0_item)

        else:
            blackouts = self.blackouts

        enabled: bool | None | Unset
        if isinstance(self.enabled, Unset):
            enabled = UNSET
        else:
            enabled = self.enabled

        limits: dict[str, Any] | None | Unset
        if isinstance(self.limits, Unset):
            limits = UNSET
        elif isinstance(self.limits, LimitSettingsInput):
            limits = self.limits.to_dict()
        else:
            limits = self.limits

        maintenance: dict[str, Any] | None | Unset
        if isinstance(self.maintenance, Unset):
            maintenance = UNSET
        elif isinstance(self.maintenance, MaintenanceSettings):
            maintenance = self.maintenance.to_dict()
        else:
            maintenance = self.maintenance

        preset: None | str | Unset
        if isinstance(self.preset, Unset):
            preset = UNSET
        elif isinstance(self.preset, PolicyDocumentInputPresetType0):
            preset = self.preset.value
        else:
            preset = self.preset

        priority: None | str | Unset
        if isinstance(self.priority, Unset):
            priority = UNSET
        elif isinstance(self.priority, PolicyDocumentInputPriorityType0):
            priority = self.priority.value
        else:
            priority = self.priority

        quiet_hours: list[dict[str, Any]] | None | Unset
        if isinstance(self.quiet_hours, Unset):
            quiet_hours = UNSET
        elif isinstance(self.quiet_hours, list):
            quiet_hours = []
            for quiet_hours_type_0_item_data in self.quiet_hours:
                quiet_hours_type_0_item = quiet_hours_type_0_item_data.to_dict()
                quiet_hours.append(quiet_hours_type_0_item)

        else:
            quiet_hours = self.quiet_hours

        rewrite: dict[str, Any] | None | Unset
        if isinstance(self.rewrite, Unset):
            rewrite = UNSET
        elif isinstance(self.rewrite, RewriteSettingsInput):
            rewrite = self.rewrite.to_dict()
        else:
            rewrite = self.rewrite

        schedule: dict[str, Any] | None | Unset
        if isinstance(self.schedule, Unset):
            schedule = UNSET
        elif isinstance(self.schedule, ScheduleSettings):
            schedule = self.schedule.to_dict()
        else:
            schedule = self.schedule

        seal: dict[str, Any] | Literal["off"] | None | Unset
        if isinstance(self.seal, Unset):
            seal = UNSET
        elif isinstance(self.seal, Seal):
            seal = self.seal.to_dict()
        else:
            seal = self.seal

        triggers: list[dict[str, Any]] | None | Unset
        if isinstance(self.triggers, Unset):
            triggers = UNSET
        elif isinstance(self.triggers, list):
            triggers = []
            for triggers_type_0_item_data in self.triggers:
                triggers_type_0_item = triggers_type_0_item_data.to_dict()
                triggers.append(triggers_type_0_item)

        else:
            triggers = self.triggers

        verification: None | str | Unset
        if isinstance(self.verification, Unset):
            verification = UNSET
        elif isinstance(self.verification, PolicyDocumentInputVerificationType0):
            verification = self.verification.value
        else:
            verification = self.verification

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if backoff is not UNSET:
            field_dict["backoff"] = backoff
        if blackouts is not UNSET:
            field_dict["blackouts"] = blackouts
        if enabled is not UNSET:
            field_dict["enabled"] = enabled
        if limits is not UNSET:
            field_dict["limits"] = limits
        if maintenance is not UNSET:
            field_dict["maintenance"] = maintenance
        if preset is not UNSET:
            field_dict["preset"] = preset
        if priority is not UNSET:
            field_dict["priority"] = priority
        if quiet_hours is not UNSET:
            field_dict["quiet_hours"] = quiet_hours
        if rewrite is not UNSET:
            field_dict["rewrite"] = rewrite
        if schedule is not UNSET:
            field_dict["schedule"] = schedule
        if seal is not UNSET:
            field_dict["seal"] = seal
        if triggers is not UNSET:
            field_dict["triggers"] = triggers
        if verification is not UNSET:
            field_dict["verification"] = verification

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.backoff import Backoff  # noqa: PLC0415
        from ..models.blackout_input import BlackoutInput  # noqa: PLC0415
        from ..models.limit_settings_input import LimitSettingsInput  # noqa: PLC0415
        from ..models.maintenance_settings import MaintenanceSettings  # noqa: PLC0415
        from ..models.quiet_hours import QuietHours  # noqa: PLC0415
        from ..models.rewrite_settings_input import RewriteSettingsInput  # noqa: PLC0415
        from ..models.schedule_settings import ScheduleSettings  # noqa: PLC0415
        from ..models.seal import Seal  # noqa: PLC0415
        from ..models.trigger_rule_input import TriggerRuleInput  # noqa: PLC0415

        d = dict(src_dict)

        def _parse_backoff(data: object) -> Backoff | Literal["off"] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not data == "off":
                    raise TypeError()
                backoff_type_0 = cast(Literal["off"], data)
                if backoff_type_0 != "off":
                    raise ValueError(f"backoff_type_0 must match const 'off', got '{backoff_type_0}'")
                return backoff_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                backoff_type_1 = Backoff.from_dict(data)

                return backoff_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(Backoff | Literal["off"] | None | Unset, data)

        backoff = _parse_backoff(d.pop("backoff", UNSET))

        def _parse_blackouts(data: object) -> list[BlackoutInput] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                blackouts_type_0 = []
                _blackouts_type_0 = data
                for blackouts_type_0_item_data in _blackouts_type_0:
                    blackouts_type_0_item = BlackoutInput.from_dict(blackouts_type_0_item_data)

                    blackouts_type_0.append(blackouts_type_0_item)

                return blackouts_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[BlackoutInput] | None | Unset, data)

        blackouts = _parse_blackouts(d.pop("blackouts", UNSET))

        def _parse_enabled(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        enabled = _parse_enabled(d.pop("enabled", UNSET))

        def _parse_limits(data: object) -> LimitSettingsInput | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                limits_type_0 = LimitSettingsInput.from_dict(data)

                return limits_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(LimitSettingsInput | None | Unset, data)

        limits = _parse_limits(d.pop("limits", UNSET))

        def _parse_maintenance(data: object) -> MaintenanceSettings | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                maintenance_type_0 = MaintenanceSettings.from_dict(data)

                return maintenance_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(MaintenanceSettings | None | Unset, data)

        maintenance = _parse_maintenance(d.pop("maintenance", UNSET))

        def _parse_preset(data: object) -> None | PolicyDocumentInputPresetType0 | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                preset_type_0 = PolicyDocumentInputPresetType0(data)

                return preset_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | PolicyDocumentInputPresetType0 | Unset, data)

        preset = _parse_preset(d.pop("preset", UNSET))

        def _parse_priority(data: object) -> None | PolicyDocumentInputPriorityType0 | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                priority_type_0 = PolicyDocumentInputPriorityType0(data)

                return priority_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | PolicyDocumentInputPriorityType0 | Unset, data)

        priority = _parse_priority(d.pop("priority", UNSET))

        def _parse_quiet_hours(data: object) -> list[QuietHours] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                quiet_hours_type_0 = []
                _quiet_hours_type_0 = data
                for quiet_hours_type_0_item_data in _quiet_hours_type_0:
                    quiet_hours_type_0_item = QuietHours.from_dict(quiet_hours_type_0_item_data)

                    quiet_hours_type_0.append(quiet_hours_type_0_item)

                return quiet_hours_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[QuietHours] | None | Unset, data)

        quiet_hours = _parse_quiet_hours(d.pop("quiet_hours", UNSET))

        def _parse_rewrite(data: object) -> None | RewriteSettingsInput | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                rewrite_type_0 = RewriteSettingsInput.from_dict(data)

                return rewrite_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | RewriteSettingsInput | Unset, data)

        rewrite = _parse_rewrite(d.pop("rewrite", UNSET))

        def _parse_schedule(data: object) -> None | ScheduleSettings | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                schedule_type_0 = ScheduleSettings.from_dict(data)

                return schedule_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | ScheduleSettings | Unset, data)

        schedule = _parse_schedule(d.pop("schedule", UNSET))

        def _parse_seal(data: object) -> Literal["off"] | None | Seal | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not data == "off":
                    raise TypeError()
                seal_type_0 = cast(Literal["off"], data)
                if seal_type_0 != "off":
                    raise ValueError(f"seal_type_0 must match const 'off', got '{seal_type_0}'")
                return seal_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                seal_type_1 = Seal.from_dict(data)

                return seal_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(Literal["off"] | None | Seal | Unset, data)

        seal = _parse_seal(d.pop("seal", UNSET))

        def _parse_triggers(data: object) -> list[TriggerRuleInput] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                triggers_type_0 = []
                _triggers_type_0 = data
                for triggers_type_0_item_data in _triggers_type_0:
                    triggers_type_0_item = TriggerRuleInput.from_dict(triggers_type_0_item_data)

                    triggers_type_0.append(triggers_type_0_item)

                return triggers_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[TriggerRuleInput] | None | Unset, data)

        triggers = _parse_triggers(d.pop("triggers", UNSET))

        def _parse_verification(data: object) -> None | PolicyDocumentInputVerificationType0 | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                verification_type_0 = PolicyDocumentInputVerificationType0(data)

                return verification_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | PolicyDocumentInputVerificationType0 | Unset, data)

        verification = _parse_verification(d.pop("verification", UNSET))

        policy_document_input = cls(
            backoff=backoff,
            blackouts=blackouts,
            enabled=enabled,
            limits=limits,
            maintenance=maintenance,
            preset=preset,
            priority=priority,
            quiet_hours=quiet_hours,
            rewrite=rewrite,
            schedule=schedule,
            seal=seal,
            triggers=triggers,
            verification=verification,
        )

        return policy_document_input
