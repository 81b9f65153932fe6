"""Plans and policies of tests, made as the services make them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, cast

import pyarrow as pa

from engine.domain.policies import EffectivePolicy, PolicyDocument, effective_policy
from engine.domain.runs.plans import Plan
from engine.formats.base import KERNEL_TRAITS, Condition, EngineTraits, OpenTable, RewriteEngine
from engine.planning.due.evaluations import Evaluation, evaluate_policy
from engine.planning.measures.digest import TableMeasures
from engine.planning.measures.partition_metrics import PartitionMetrics, RewriteHistory, measure_partitions
from engine.planning.measures.partitions import partition_files
from engine.planning.plans.file_groups import make_plan
from engine.services.planning.engines import EngineChoice
from tests.support.digests import DigestFile, digest_of, inputs_of


def policy_of(document: Mapping[str, Any], **properties: Any) -> EffectivePolicy:
    """Return the policy of a table that has this document and no other; `properties` are policy fields by name."""
    return effective_policy(table_properties=properties, own=PolicyDocument.model_validate(document))


@dataclass(frozen=True)
class EngineOf:
    """As much of an engine as planning asks for: it reads the files of its table, and has no conditions."""

    table: Any
    traits: EngineTraits = KERNEL_TRAITS
    procedure: ClassVar[None] = None

    def conditions(self, order: object = None, *, moves_to_current_spec: bool = False) -> Sequence[Condition]:
        return ()

    def digest(self) -> pa.Table:
        return self.table.digest()

    def task_storage(self) -> Mapping[str, str]:
        return {}


def chosen_of(table: object, policy: EffectivePolicy, traits: EngineTraits = KERNEL_TRAITS) -> EngineChoice:
    """Return an engine, by default the kernel, as that of a table that has what planning asks for."""
    engine = cast("RewriteEngine", EngineOf(table, traits))
    return EngineChoice(engine, cast("OpenTable", table), policy, ())


def plan_of(digest: pa.Table, document: Mapping[str, Any], **given: Any) -> Plan:
    """Plan a rewrite of a digest under a policy; `given` as to `make_plan`."""
    return make_plan(
        digest,
        policy=policy_of(document),
        base_snapshot_id=1,
        schema_id=0,
        **{"inputs_of": inputs_of(digest)} | given,
    )


def measured(
    files: Sequence[DigestFile],
    *,
    figures: TableMeasures | None = None,
    history: RewriteHistory | None = None,
    **given: Any,
) -> PartitionMetrics:
    """Measure the partitions of some files; `given` as to `measure_partitions`."""
    digest = digest_of(files)
    known = (figures or TableMeasures(), history or RewriteHistory())
    return measure_partitions(digest, partition_files(digest), *known, **given)


def evaluated(
    files: Sequence[DigestFile],
    document: Mapping[str, Any],
    *,
    figures: TableMeasures | None = None,
    history: RewriteHistory | None = None,
    **given: Any,
) -> Evaluation:
    """Judge a table of some files by a policy; `given` as to `evaluate_policy`."""
    known = (figures or TableMeasures(), history or RewriteHistory())
    return evaluate_policy(digest_of(files), *known, policy_of(document), **given)
