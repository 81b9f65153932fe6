"""Policies: partial documents that declare how tables are maintained, and the effective policy merged from them.

`documents` and the modules of its sections define every setting; `scopes` selects the tables that a policy covers;
`merging` makes the effective policy; `contradictions` validates it; `windows` computes when no run may start;
`presets` are base policies; `schema` publishes the document as JSON Schema.
"""

from engine.domain.policies.contradictions import contradictions, raised_group_sizes
from engine.domain.policies.differences import Difference, differences, differing_leaves
from engine.domain.policies.documents import LimitSettings, PolicyDocument
from engine.domain.policies.fields import OFF, UNLIMITED
from engine.domain.policies.merging import DEFAULTS, EffectivePolicy, Layer, Merged, effective_policy, merge
from engine.domain.policies.presets import DEFAULT_PRESET, PRESETS, Preset
from engine.domain.policies.rewriting import RewriteSettings, Strategy
from engine.domain.policies.rules import Junction, TriggerRule
from engine.domain.policies.scopes import FLEET, PolicyScope, PolicyScopeKind, ScopedTable, TableTraits
from engine.domain.policies.stored import StoredPolicy
from engine.domain.policies.triggers import Metric, MetricKind, TriggerCondition
from engine.domain.policies.windows import Blackout, OnStart, QuietHours, WindowKind, Windows, WindowState

__all__ = [
    "DEFAULTS",
    "DEFAULT_PRESET",
    "FLEET",
    "OFF",
    "PRESETS",
    "UNLIMITED",
    "Blackout",
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
    "ScopedTable",
    "StoredPolicy",
    "Strategy",
    "TableTraits",
    "TriggerCondition",
    "TriggerRule",
    "WindowKind",
    "WindowState",
    "Windows",
    "contradictions",
    "differences",
    "differing_leaves",
    "effective_policy",
    "merge",
    "raised_group_sizes",
]
