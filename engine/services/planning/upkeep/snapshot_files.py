"""Plans of operations on the manifests and delete files of a snapshot: the tables that have them, and words."""

from typing import Final

from engine.domain.errors import NotEligible
from engine.domain.runs.deletes import DeletePlan
from engine.domain.runs.manifests import ManifestPlan
from engine.domain.values.units import format_bytes
from engine.formats.base import OpenTable, SnapshotRewrite
from engine.services.planning.wording import count_of

LEAST_SAVED: Final = 10
"""Least number of manifests by which an automatic rewrite reduces them: each is a request of every reader."""


def manifest_rewrite_of(table: OpenTable) -> SnapshotRewrite[ManifestPlan]:
    """Return the rewrite of a table's manifests. Raises `NotEligible` if its format has none."""
    if table.manifest_rewrite is None:
        raise NotEligible("this version merges no manifests of tables of this format")
    return table.manifest_rewrite


def delete_rewrite_of(table: OpenTable) -> SnapshotRewrite[DeletePlan]:
    """Return the rewrite of a table's delete files. Raises `NotEligible` if its format has none."""
    if table.delete_rewrite is None:
        raise NotEligible("this version merges no delete files of tables of this format")
    return table.delete_rewrite


def manifest_words(plan: ManifestPlan) -> str:
    """Return a plan as a clause: how many manifests would be replaced, and whether that starts a run."""
    target = format_bytes(plan.target_bytes)
    if not plan.rewritten:
        return f"none of {count_of(plan.manifests, 'manifest')} can be merged or split (target: {target} each)"
    merged = (
        f"{plan.rewritten} of {count_of(plan.manifests, 'manifest')} can become {plan.added} (target: {target} each)"
    )
    few = f", too few to start automatically ({LEAST_SAVED} fewer are needed)"
    return merged if plan.saved >= LEAST_SAVED else merged + few


def delete_words(plan: DeletePlan) -> str:
    """Return a plan as a clause: how many delete files would be replaced, and which are not."""
    files = count_of(plan.files, "position-delete file")
    words = f"none of {files} can be merged or dropped"
    if plan.rewritten:
        words = f"{plan.rewritten} of {files} can become at most {plan.added}"
    if plan.left:
        words += f", {sum(plan.left.values())} left alone ({', '.join(sorted(plan.left))})"
    if plan.equality_files:
        equality = count_of(plan.equality_files, "equality-delete file")
        words += (
            f"; {equality} ({format_bytes(plan.equality_bytes)}) need a rewrite of the data files to which they apply "
            "(rewrite.engine: native)"
        )
    return words
