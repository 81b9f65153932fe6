"""Rules for new rows of key tables that wait for a compaction: it is due at each commit, or after some commits.

Readers of tables with deletion vectors or the merge engine `first-row` do not see rows of level 0, and a changelog by
lookup lacks them. So `rewrite.key_tables.lookup` makes their buckets due without a trigger: `eager` as soon as there is
a file of level 0, `lazy` after `rewrite.key_tables.forced_every` commits to the table. Paimon's own writers do the same
(`lookup-compact`: `radical`, or `gentle` with `lookup-compact.max-interval`, which counts the compactions of a writer).
Other tables have no such rules: their readers merge level 0, and a compaction is due at a number of sorted runs.
"""

from engine.domain.policies import FORCED_EVERY, LOOKUP, EffectivePolicy
from engine.planning.due.triggers import Check, Rule
from engine.planning.plans.rewrite_limits import RewriteLimits


def new_row_rules(policy: EffectivePolicy, limits: RewriteLimits) -> list[Rule]:
    """Return the rule of a table whose new rows wait for a compaction; no rule for other tables."""
    if limits.buckets is None or not limits.buckets.lifts_new:
        return []
    if policy.is_lookup_eager:
        return [Rule(LOOKUP, (Check("level0_file_count", "at_least", 1.0),))]
    return [Rule(FORCED_EVERY, (Check("commits_since_level0", "at_least", float(policy.forced_every)),))]
