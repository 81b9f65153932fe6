# Generated from openapi.yaml by clients/generate.py; do not edit.
"""Contains all the data models used in inputs/outputs"""

from .affected_table import AffectedTable
from .all_ import All
from .any_of import AnyOf
from .attempt_time import AttemptTime
from .audit_entry import AuditEntry
from .audit_entry_after_type_0 import AuditEntryAfterType0
from .audit_entry_before_type_0 import AuditEntryBeforeType0
from .audit_list import AuditList
from .backlog import Backlog
from .backoff import Backoff
from .backpressure import Backpressure
from .blackout_input import BlackoutInput
from .blackout_output import BlackoutOutput
from .budget_use import BudgetUse
from .calibration import Calibration
from .catalog import Catalog
from .catalog_check import CatalogCheck
from .catalog_create import CatalogCreate
from .catalog_create_properties import CatalogCreateProperties
from .catalog_grants import CatalogGrants
from .catalog_limits import CatalogLimits
from .catalog_limits_put import CatalogLimitsPut
from .catalog_list import CatalogList
from .catalog_properties_type_0 import CatalogPropertiesType0
from .catalog_replace import CatalogReplace
from .catalog_replace_properties import CatalogReplaceProperties
from .catalog_scope import CatalogScope
from .cell import Cell
from .chain_anchor import ChainAnchor
from .chain_head import ChainHead
from .check_step import CheckStep
from .column_use import ColumnUse
from .commit_seen import CommitSeen
from .comparison import Comparison
from .condition import Condition
from .contradiction import Contradiction
from .cost import Cost
from .delete_rules import DeleteRules
from .dependency import Dependency
from .discover_request import DiscoverRequest
from .discover_request_labels import DiscoverRequestLabels
from .discovered_table import DiscoveredTable
from .discovery import Discovery
from .discovery_counts import DiscoveryCounts
from .discovery_outcome import DiscoveryOutcome
from .due_state import DueState
from .due_table import DueTable
from .due_tables import DueTables
from .effective_policy import EffectivePolicy
from .effective_policy_settings import EffectivePolicySettings
from .ended_run import EndedRun
from .estimate_source import EstimateSource
from .expire_snapshots import ExpireSnapshots
from .explained_budgets import ExplainedBudgets
from .explained_condition import ExplainedCondition
from .explained_condition_operator import ExplainedConditionOperator
from .explained_condition_unit import ExplainedConditionUnit
from .explained_conflicts import ExplainedConflicts
from .explained_day import ExplainedDay
from .explained_parallel_runs import ExplainedParallelRuns
from .explained_partition import ExplainedPartition
from .explained_pause import ExplainedPause
from .explained_pause_scope import ExplainedPauseScope
from .explained_rule import ExplainedRule
from .explained_rule_held_back import ExplainedRuleHeldBack
from .explained_rule_kind import ExplainedRuleKind
from .explained_schedule import ExplainedSchedule
from .explained_seal import ExplainedSeal
from .explained_setting import ExplainedSetting
from .explained_triggers import ExplainedTriggers
from .explained_upkeep import ExplainedUpkeep
from .explained_watch import ExplainedWatch
from .explained_windows import ExplainedWindows
from .explanation import Explanation
from .explanation_settings import ExplanationSettings
from .explanation_signals_item import ExplanationSignalsItem
from .file_group import FileGroup
from .file_group_list import FileGroupList
from .file_group_measured import FileGroupMeasured
from .filtered_columns import FilteredColumns
from .filters import Filters
from .fleet import Fleet
from .fleet_ended_runs import FleetEndedRuns
from .fleet_live_runs import FleetLiveRuns
from .fleet_scope import FleetScope
from .fleet_table import FleetTable
from .fleet_table_list import FleetTableList
from .format_ import Format
from .format_list import FormatList
from .format_name import FormatName
from .freeze import Freeze
from .full_eligibility import FullEligibility
from .full_rules_input import FullRulesInput
from .full_rules_output import FullRulesOutput
from .get_policy_schema_response_200 import GetPolicySchemaResponse200
from .grant import Grant
from .grant_write import GrantWrite
from .grants_put import GrantsPut
from .group_state import GroupState
from .health_figures import HealthFigures
from .health_history import HealthHistory
from .health_measurement import HealthMeasurement
from .history_entry import HistoryEntry
from .history_entry_plan import HistoryEntryPlan
from .history_entry_result import HistoryEntryResult
from .hold import Hold
from .hot_partition import HotPartition
from .key import Key
from .key_create import KeyCreate
from .key_created import KeyCreated
from .key_list import KeyList
from .key_table_rules import KeyTableRules
from .key_table_rules_lookup_type_0 import KeyTableRulesLookupType0
from .label_scope_input import LabelScopeInput
from .label_scope_output import LabelScopeOutput
from .last_run import LastRun
from .layout import Layout
from .layout_advice import LayoutAdvice
from .leaf_change import LeafChange
from .limit_settings_input import LimitSettingsInput
from .limit_settings_output import LimitSettingsOutput
from .limits import Limits
from .limits_catalogs import LimitsCatalogs
from .limits_put import LimitsPut
from .limits_put_catalogs import LimitsPutCatalogs
from .list_fleet_tables_sort import ListFleetTablesSort
from .live_rate import LiveRate
from .liveness import Liveness
from .maintenance_settings import MaintenanceSettings
from .metric import Metric
from .namespace_scope import NamespaceScope
from .never_due import NeverDue
from .next_eligible import NextEligible
from .not_ import Not
from .on_start import OnStart
from .op import Op
from .open_breaker import OpenBreaker
from .operation import Operation
from .order_column import OrderColumn
from .order_column_direction_type_0 import OrderColumnDirectionType0
from .order_column_nulls_type_0 import OrderColumnNullsType0
from .order_field import OrderField
from .order_health import OrderHealth
from .other_compactor import OtherCompactor
from .outside_files import OutsideFiles
from .partition_health import PartitionHealth
from .partition_overlap import PartitionOverlap
from .pattern_scope import PatternScope
from .pause import Pause
from .pause_mode import PauseMode
from .pause_request import PauseRequest
from .plan_request import PlanRequest
from .planned_group import PlannedGroup
from .planned_later import PlannedLater
from .policy_create import PolicyCreate
from .policy_document_input import PolicyDocumentInput
from .policy_document_input_preset_type_0 import PolicyDocumentInputPresetType0
from .policy_document_input_priority_type_0 import PolicyDocumentInputPriorityType0
from .policy_document_input_verification_type_0 import (
    PolicyDocumentInputVerificationType0,
)
from .policy_document_output import PolicyDocumentOutput
from .policy_document_output_preset_type_0 import PolicyDocumentOutputPresetType0
from .policy_document_output_priority_type_0 import PolicyDocumentOutputPriorityType0
from .policy_document_output_verification_type_0 import (
    PolicyDocumentOutputVerificationType0,
)
from .policy_preview import PolicyPreview
from .policy_restore import PolicyRestore
from .policy_version import PolicyVersion
from .policy_version_list import PolicyVersionList
from .prediction import Prediction
from .preset import Preset
from .preset_list import PresetList
from .priority import Priority
from .problem import Problem
from .problem_details import ProblemDetails
from .problem_field import ProblemField
from .progress import Progress
from .query_latency import QueryLatency
from .quiet_hours import QuietHours
from .quiet_hours_days_item import QuietHoursDaysItem
from .races import Races
from .rates import Rates
from .readiness import Readiness
from .readiness_status import ReadinessStatus
from .reclaim import Reclaim
from .refused_setting import RefusedSetting
from .remove_orphans import RemoveOrphans
from .rewrite_manifests import RewriteManifests
from .rewrite_settings_input import RewriteSettingsInput
from .rewrite_settings_input_engine_type_0 import RewriteSettingsInputEngineType0
from .rewrite_settings_input_order_bins_by_type_0 import (
    RewriteSettingsInputOrderBinsByType0,
)
from .rewrite_settings_output import RewriteSettingsOutput
from .rewrite_settings_output_engine_type_0 import RewriteSettingsOutputEngineType0
from .rewrite_settings_output_order_bins_by_type_0 import (
    RewriteSettingsOutputOrderBinsByType0,
)
from .right import Right
from .role import Role
from .run import Run
from .run_accepted import RunAccepted
from .run_accepted_plan import RunAcceptedPlan
from .run_accepted_policy import RunAcceptedPolicy
from .run_accepted_request import RunAcceptedRequest
from .run_accepted_result import RunAcceptedResult
from .run_detail import RunDetail
from .run_detail_plan import RunDetailPlan
from .run_detail_policy import RunDetailPolicy
from .run_detail_request import RunDetailRequest
from .run_detail_result import RunDetailResult
from .run_document import RunDocument
from .run_event import RunEvent
from .run_event_details import RunEventDetails
from .run_event_list import RunEventList
from .run_kind import RunKind
from .run_list import RunList
from .run_now import RunNow
from .run_now_outcome import RunNowOutcome
from .run_now_prediction_errors import RunNowPredictionErrors
from .run_now_skipped_reasons import RunNowSkippedReasons
from .run_plan import RunPlan
from .run_policy import RunPolicy
from .run_request import RunRequest
from .run_result import RunResult
from .run_state import RunState
from .run_submit import RunSubmit
from .run_summary import RunSummary
from .run_summary_plan import RunSummaryPlan
from .run_summary_policy import RunSummaryPolicy
from .run_summary_request import RunSummaryRequest
from .run_summary_result import RunSummaryResult
from .run_time import RunTime
from .run_time_waiting import RunTimeWaiting
from .runs_at_once import RunsAtOnce
from .schedule_settings import ScheduleSettings
from .scoped_policy import ScopedPolicy
from .scoped_policy_list import ScopedPolicyList
from .seal import Seal
from .setting import Setting
from .setting_change import SettingChange
from .shared_change import SharedChange
from .signal import Signal
from .signal_kind import SignalKind
from .signal_list import SignalList
from .signal_send import SignalSend
from .size_class import SizeClass
from .skipped_partition import SkippedPartition
from .small_file_flow import SmallFileFlow
from .strategy import Strategy
from .table import Table
from .table_advice import TableAdvice
from .table_backpressure import TableBackpressure
from .table_health import TableHealth
from .table_health_score_parts import TableHealthScoreParts
from .table_health_table import TableHealthTable
from .table_history import TableHistory
from .table_labels import TableLabels
from .table_list import TableList
from .table_patch import TablePatch
from .table_patch_labels_type_0 import TablePatchLabelsType0
from .table_plan import TablePlan
from .table_policy import TablePolicy
from .table_register import TableRegister
from .table_register_labels import TableRegisterLabels
from .team_scope import TeamScope
from .tier_input import TierInput
from .tier_output import TierOutput
from .time_estimate import TimeEstimate
from .trigger_condition_input import TriggerConditionInput
from .trigger_condition_output import TriggerConditionOutput
from .trigger_group_input import TriggerGroupInput
from .trigger_group_output import TriggerGroupOutput
from .trigger_rule_input import TriggerRuleInput
from .trigger_rule_output import TriggerRuleOutput
from .unfreeze_request import UnfreezeRequest
from .upkeep_advice import UpkeepAdvice
from .upkeep_plan import UpkeepPlan
from .upkeep_plan_details import UpkeepPlanDetails
from .verdict import Verdict
from .waiting_for import WaitingFor
from .whoami import Whoami
from .window_kind import WindowKind
from .writes import Writes

__all__ = (
    "AffectedTable",
    "All",
    "AnyOf",
    "AttemptTime",
    "AuditEntry",
    "AuditEntryAfterType0",
    "AuditEntryBeforeType0",
    "AuditList",
    "Backlog",
    "Backoff",
    "Backpressure",
    "BlackoutInput",
    "BlackoutOutput",
    "BudgetUse",
    "Calibration",
    "Catalog",
    "CatalogCheck",
    "CatalogCreate",
    "CatalogCreateProperties",
    "CatalogGrants",
    "CatalogLimits",
    "CatalogLimitsPut",
    "CatalogList",
    "CatalogPropertiesType0",
    "CatalogReplace",
    "CatalogReplaceProperties",
    "CatalogScope",
    "Cell",
    "ChainAnchor",
    "ChainHead",
    "CheckStep",
    "ColumnUse",
    "CommitSeen",
    "Comparison",
    "Condition",
    "Contradiction",
    "Cost",
    "DeleteRules",
    "Dependency",
    "DiscoveredTable",
    "DiscoverRequest",
    "DiscoverRequestLabels",
    "Discovery",
    "DiscoveryCounts",
    "DiscoveryOutcome",
    "DueState",
    "DueTable",
    "DueTables",
    "EffectivePolicy",
    "EffectivePolicySettings",
    "EndedRun",
    "EstimateSource",
    "ExpireSnapshots",
    "ExplainedBudgets",
    "ExplainedCondition",
    "ExplainedConditionOperator",
    "ExplainedConditionUnit",
    "ExplainedConflicts",
    "ExplainedDay",
    "ExplainedParallelRuns",
    "ExplainedPartition",
    "ExplainedPause",
    "ExplainedPauseScope",
    "ExplainedRule",
    "ExplainedRuleHeldBack",
    "ExplainedRuleKind",
    "ExplainedSchedule",
    "ExplainedSeal",
    "ExplainedSetting",
    "ExplainedTriggers",
    "ExplainedUpkeep",
    "ExplainedWatch",
    "ExplainedWindows",
    "Explanation",
    "ExplanationSettings",
    "ExplanationSignalsItem",
    "FileGroup",
    "FileGroupList",
    "FileGroupMeasured",
    "FilteredColumns",
    "Filters",
    "Fleet",
    "FleetEndedRuns",
    "FleetLiveRuns",
    "FleetScope",
    "FleetTable",
    "FleetTableList",
    "Format",
    "FormatList",
    "FormatName",
    "Freeze",
    "FullEligibility",
    "FullRulesInput",
    "FullRulesOutput",
    "GetPolicySchemaResponse200",
    "Grant",
    "GrantsPut",
    "GrantWrite",
    "GroupState",
    "HealthFigures",
    "HealthHistory",
    "HealthMeasurement",
    "HistoryEntry",
    "HistoryEntryPlan",
    "HistoryEntryResult",
    "Hold",
    "HotPartition",
    "Key",
    "KeyCreate",
    "KeyCreated",
    "KeyList",
    "KeyTableRules",
    "KeyTableRulesLookupType0",
    "LabelScopeInput",
    "LabelScopeOutput",
    "LastRun",
    "Layout",
    "LayoutAdvice",
    "LeafChange",
    "Limits",
    "LimitsCatalogs",
    "LimitSettingsInput",
    "LimitSettingsOutput",
    "LimitsPut",
    "LimitsPutCatalogs",
    "ListFleetTablesSort",
    "Liveness",
    "LiveRate",
    "MaintenanceSettings",
    "Metric",
    "NamespaceScope",
    "NeverDue",
    "NextEligible",
    "Not",
    "OnStart",
    "Op",
    "OpenBreaker",
    "Operation",
    "OrderColumn",
    "OrderColumnDirectionType0",
    "OrderColumnNullsType0",
    "OrderField",
    "OrderHealth",
    "OtherCompactor",
    "OutsideFiles",
    "PartitionHealth",
    "PartitionOverlap",
    "PatternScope",
    "Pause",
    "PauseMode",
    "PauseRequest",
    "PlannedGroup",
    "PlannedLater",
    "PlanRequest",
    "PolicyCreate",
    "PolicyDocumentInput",
    "PolicyDocumentInputPresetType0",
    "PolicyDocumentInputPriorityType0",
    "PolicyDocumentInputVerificationType0",
    "PolicyDocumentOutput",
    "PolicyDocumentOutputPresetType0",
    "PolicyDocumentOutputPriorityType0",
    "PolicyDocumentOutputVerificationType0",
    "PolicyPreview",
    "PolicyRestore",
    "PolicyVersion",
    "PolicyVersionList",
    "Prediction",
    "Preset",
    "PresetList",
    "Priority",
    "Problem",
    "ProblemDetails",
    "ProblemField",
    "Progress",
    "QueryLatency",
    "QuietHours",
    "QuietHoursDaysItem",
    "Races",
    "Rates",
    "Readiness",
    "ReadinessStatus",
    "Reclaim",
    "RefusedSetting",
    "RemoveOrphans",
    "RewriteManifests",
    "RewriteSettingsInput",
    "RewriteSettingsInputEngineType0",
    "RewriteSettingsInputOrderBinsByType0",
    "RewriteSettingsOutput",
    "RewriteSettingsOutputEngineType0",
    "RewriteSettingsOutputOrderBinsByType0",
    "Right",
    "Role",
    "Run",
    "RunAccepted",
    "RunAcceptedPlan",
    "RunAcceptedPolicy",
    "RunAcceptedRequest",
    "RunAcceptedResult",
    "RunDetail",
    "RunDetailPlan",
    "RunDetailPolicy",
    "RunDetailRequest",
    "RunDetailResult",
    "RunDocument",
    "RunEvent",
    "RunEventDetails",
    "RunEventList",
    "RunKind",
    "RunList",
    "RunNow",
    "RunNowOutcome",
    "RunNowPredictionErrors",
    "RunNowSkippedReasons",
    "RunPlan",
    "RunPolicy",
    "RunRequest",
    "RunResult",
    "RunsAtOnce",
    "RunState",
    "RunSubmit",
    "RunSummary",
    "RunSummaryPlan",
    "RunSummaryPolicy",
    "RunSummaryRequest",
    "RunSummaryResult",
    "RunTime",
    "RunTimeWaiting",
    "ScheduleSettings",
    "ScopedPolicy",
    "ScopedPolicyList",
    "Seal",
    "Setting",
    "SettingChange",
    "SharedChange",
    "Signal",
    "SignalKind",
    "SignalList",
    "SignalSend",
    "SizeClass",
    "SkippedPartition",
    "SmallFileFlow",
    "Strategy",
    "Table",
    "TableAdvice",
    "TableBackpressure",
    "TableHealth",
    "TableHealthScoreParts",
    "TableHealthTable",
    "TableHistory",
    "TableLabels",
    "TableList",
    "TablePatch",
    "TablePatchLabelsType0",
    "TablePlan",
    "TablePolicy",
    "TableRegister",
    "TableRegisterLabels",
    "TeamScope",
    "TierInput",
    "TierOutput",
    "TimeEstimate",
    "TriggerConditionInput",
    "TriggerConditionOutput",
    "TriggerGroupInput",
    "TriggerGroupOutput",
    "TriggerRuleInput",
    "TriggerRuleOutput",
    "UnfreezeRequest",
    "UpkeepAdvice",
    "UpkeepPlan",
    "UpkeepPlanDetails",
    "Verdict",
    "WaitingFor",
    "Whoami",
    "WindowKind",
    "Writes",
)
