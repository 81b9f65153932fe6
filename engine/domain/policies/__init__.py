"""Policies: partial documents that declare how tables are maintained, and the effective policy merged from them.

`documents` defines every setting, one module for each section; `effective` merges the policies that cover a table.
Every layer takes the public names from here; imports go from `effective` to `documents` only.
"""

from engine.domain.policies.documents.differences import Difference, differences, differing_leaves
from engine.domain.policies.documents.document import DEFAULT_PRESET, LimitSettings, PolicyDocument
from engine.domain.policies.documents.fields import OFF, UNLIMITED
from engine.domain.policies.documents.maintenance import RECLAIM
from engine.domain.policies.documents.rewriting import RewriteSettings, RowKey, Strategy
from engine.domain.policies.documents.rules import Junction, TriggerRule
from engine.domain.policies.documents.triggers import Metric, MetricKind, TriggerCondition
from engine.domain.policies.documents.windows import Blackout, OnStart, QuietHours
from engine.domain.policies.effective.contradictions import (
    contradictions,
    ineffective_intervals,
    raised_group_sizes,
    refused_when_stored,
)
from engine.domain.policies.effective.deletions import DELETING_SETTINGS, DeletionRule, wider_deletions
from engine.domain.policies.effective.merging import (
    DEFAULTS,
    FORCED_EVERY,
    LOOKUP,
    SORTED_RUN_TRIGGER,
    STOP_TRIGGER,
    EffectivePolicy,
    Layer,
    Merged,
    effective_policy,
    merge,
)
from engine.domain.policies.effective.presets import PRESETS, Preset
from engine.domain.policies.effective.scopes import FLEET, PolicyScope, PolicyScopeKind, ScopedTable, TableTraits
from engine.domain.policies.effective.stored import StoredPolicy
from engine.domain.policies.effective.windows import WindowKind, Windows, WindowSpan, WindowState

__all__ = [
    "DEFAULTS",
    "DEFAULT_PRESET",
    "DELETING_SETTINGS",
    "FLEET",
    "FORCED_EVERY",
    "LOOKUP",
    "OFF",
    "PRESETS",
    "RECLAIM",
    "SORTED_RUN_TRIGGER",
    "STOP_TRIGGER",
    "UNLIMITED",
    "Blackout",
    "DeletionRule",
    "Difference",
    "EffectivePolicy",
    "Junction",
    "Layer",
    "LimitSettings",
    "Merged",
    "Metric",
    "MetricKind",
    "OnStart",
    "PolicyDocument",
    "PolicyScope",
    "PolicyScopeKind",
    "Preset",
    "QuietHours",
    "RewriteSettings",
    "RowKey",
    "ScopedTable",
    "StoredPolicy",
    "Strategy",
    "TableTraits",
    "TriggerCondition",
    "TriggerRule",
    "WindowKind",
    "WindowSpan",
    "WindowState",
    "Windows",
    "contradictions",
    "differences",
    "differing_leaves",
    "effective_policy",
    "ineffective_intervals",
    "merge",
    "raised_group_sizes",
    "refused_when_stored",
    "wider_deletions",
]
