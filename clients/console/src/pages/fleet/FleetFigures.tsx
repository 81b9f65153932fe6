/** The fleet's figures, each with what it rests on. */
import type { Schemas } from "../../api/client";
import { bytes, count, counted, share } from "../../format/sizes";
import { duration } from "../../format/times";
import { PageLink } from "../../parts/links";
import { Figure } from "../../parts/states";

type Fleet = Schemas["Fleet"];

export function FleetFigures({ fleet }: { fleet: Fleet }) {
  const unmeasured = fleet.tables - fleet.measured_tables;
  const { conflict_rate, groups_committed, groups_lost } = fleet.races;
  return (
    <div className="figures-row">
      <Figure
        name="Tables"
        value={<TablesLink text={count(fleet.tables)} />}
        hint={unmeasured > 0 ? `${count(unmeasured)} not measured yet` : "all measured"}
      />
      <Figure name="Paused tables" value={<TablesLink text={count(fleet.paused_tables)} paused />} hint="paused one by one" />
      <Figure
        name="Small files"
        value={count(fleet.small_file_count)}
        hint={`of ${counted(fleet.file_count, "data file")}, ${bytes(fleet.total_bytes)}`}
      />
      <Figure name="Backlog" value={counted(fleet.backlog.avoidable_files, "file")} hint={backlogText(fleet.backlog)} />
      <Figure
        name="Conflict rate, 24 h"
        value={share(conflict_rate)}
        hint={
          conflict_rate === null
            ? "no file group was committed or lost"
            : `${counted(groups_lost, "file group")} lost to other writers, ${count(groups_committed)} committed`
        }
      />
      <Figure name="Wasted, 24 h" value={bytes(fleet.wasted_bytes)} hint="written by runs and dropped again" />
      <Figure name="Rewritten, 24 h" value={bytes(fleet.budget.rewritten_bytes)} hint={budgetText(fleet.budget)} />
      <Figure name="Old history" value={bytes(fleet.history_bytes)} hint="at most; expiring old snapshots can free it" />
    </div>
  );
}

/** Return when the backlog ends, in words. */
export function backlogText(backlog: Schemas["Backlog"]): string {
  if (backlog.avoidable_files === 0) return "no file can be saved";
  if (backlog.eta_seconds === null) return backlog.detail;
  return `gone in about ${duration(backlog.eta_seconds)}: ${backlog.detail}`;
}

/** Return how much of the fleet's bandwidth was used, in words. */
export function budgetText(budget: Schemas["BudgetUse"]): string {
  if (budget.moved_bytes_limit === null) return "no limit on the bandwidth";
  return `${share(budget.used_share)} of the ${bytes(budget.moved_bytes_limit)} that the limit allows a day`;
}

function TablesLink({ text, paused = false }: { text: string; paused?: boolean }) {
  return (
    <PageLink to="/tables" search={(paused ? { paused: "true" } : {})} inherit>
      {text}
    </PageLink>
  );
}
