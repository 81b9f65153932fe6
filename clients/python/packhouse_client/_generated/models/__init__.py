# Generated from openapi.yaml by clients/generate.py; do not edit.
"""Contains all the data models used in inputs/outputs"""

from .catalog import Catalog
from .catalog_check import CatalogCheck
from .catalog_create import CatalogCreate
from .catalog_create_properties import CatalogCreateProperties
from .catalog_list import CatalogList
from .catalog_properties import CatalogProperties
from .catalog_replace import CatalogReplace
from .catalog_replace_properties import CatalogReplaceProperties
from .check_step import CheckStep
from .condition import Condition
from .delete_rules import DeleteRules
from .dependency import Dependency
from .effective_policy import EffectivePolicy
from .effective_policy_settings import EffectivePolicySettings
from .explanation import Explanation
from .explanation_settings import ExplanationSettings
from .file_group import FileGroup
from .file_group_list import FileGroupList
from .file_group_measured import FileGroupMeasured
from .group_state import GroupState
from .history_entry import HistoryEntry
from .history_entry_plan import HistoryEntryPlan
from .history_entry_result import HistoryEntryResult
from .limit_settings_input import LimitSettingsInput
from .limit_settings_output import LimitSettingsOutput
from .liveness import Liveness
from .operation import Operation
from .partition_health import PartitionHealth
from .plan_request import PlanRequest
from .planned_group import PlannedGroup
from .policy_document_input import PolicyDocumentInput
from .policy_document_output import PolicyDocumentOutput
from .prediction import Prediction
from .problem import Problem
from .problem_details import ProblemDetails
from .problem_field import ProblemField
from .progress import Progress
from .readiness import Readiness
from .readiness_status import ReadinessStatus
from .rewrite_settings_input import RewriteSettingsInput
from .rewrite_settings_output import RewriteSettingsOutput
from .run import Run
from .run_accepted import RunAccepted
from .run_accepted_plan import RunAcceptedPlan
from .run_accepted_policy import RunAcceptedPolicy
from .run_accepted_result import RunAcceptedResult
from .run_detail import RunDetail
from .run_detail_plan import RunDetailPlan
from .run_detail_policy import RunDetailPolicy
from .run_detail_result import RunDetailResult
from .run_event import RunEvent
from .run_event_details import RunEventDetails
from .run_event_list import RunEventList
from .run_list import RunList
from .run_now import RunNow
from .run_now_outcome import RunNowOutcome
from .run_now_skipped_reasons import RunNowSkippedReasons
from .run_plan import RunPlan
from .run_policy import RunPolicy
from .run_result import RunResult
from .run_state import RunState
from .run_submit import RunSubmit
from .setting import Setting
from .size_class import SizeClass
from .skipped_partition import SkippedPartition
from .table import Table
from .table_format_name import TableFormatName
from .table_health import TableHealth
from .table_health_score_parts import TableHealthScoreParts
from .table_health_table import TableHealthTable
from .table_history import TableHistory
from .table_labels import TableLabels
from .table_list import TableList
from .table_plan import TablePlan
from .table_policy import TablePolicy
from .table_register import TableRegister
from .table_register_labels import TableRegisterLabels
from .waiting_for import WaitingFor

__all__ = (
    "Catalog",
    "CatalogCheck",
    "CatalogCreate",
    "CatalogCreateProperties",
    "CatalogList",
    "CatalogProperties",
    "CatalogReplace",
    "CatalogReplaceProperties",
    "CheckStep",
    "Condition",
    "DeleteRules",
    "Dependency",
    "EffectivePolicy",
    "EffectivePolicySettings",
    "Explanation",
    "ExplanationSettings",
    "FileGroup",
    "FileGroupList",
    "FileGroupMeasured",
    "GroupState",
    "HistoryEntry",
    "HistoryEntryPlan",
    "HistoryEntryResult",
    "LimitSettingsInput",
    "LimitSettingsOutput",
    "Liveness",
    "Operation",
    "PartitionHealth",
    "PlannedGroup",
    "PlanRequest",
    "PolicyDocumentInput",
    "PolicyDocumentOutput",
    "Prediction",
    "Problem",
    "ProblemDetails",
    "ProblemField",
    "Progress",
    "Readiness",
    "ReadinessStatus",
    "RewriteSettingsInput",
    "RewriteSettingsOutput",
    "Run",
    "RunAccepted",
    "RunAcceptedPlan",
    "RunAcceptedPolicy",
    "RunAcceptedResult",
    "RunDetail",
    "RunDetailPlan",
    "RunDetailPolicy",
    "RunDetailResult",
    "RunEvent",
    "RunEventDetails",
    "RunEventList",
    "RunList",
    "RunNow",
    "RunNowOutcome",
    "RunNowSkippedReasons",
    "RunPlan",
    "RunPolicy",
    "RunResult",
    "RunState",
    "RunSubmit",
    "Setting",
    "SizeClass",
    "SkippedPartition",
    "Table",
    "TableFormatName",
    "TableHealth",
    "TableHealthScoreParts",
    "TableHealthTable",
    "TableHistory",
    "TableLabels",
    "TableList",
    "TablePlan",
    "TablePolicy",
    "TableRegister",
    "TableRegisterLabels",
    "WaitingFor",
)
