/** Codes of what holds tables back, in words, and tables counted by them. */
import type { Schemas } from "../../../api/client";

const WORDS: Readonly<Record<string, { text: string; next: string }>> = {
  fleet_paused: { text: "The fleet is paused", next: "Resume the fleet." },
  catalog_paused: { text: "Their catalog is paused", next: "Resume the catalog." },
  table_paused: { text: "The table is paused", next: "Resume the table." },
  table_frozen: { text: "Frozen after a failed proof", next: "Look at the run that failed, then unfreeze the table." },
  quiet_hours: { text: "Quiet hours", next: "They start when their quiet hours end; the policy sets them." },
  blackout: { text: "A blackout", next: "They start when it ends; the policy sets it." },
  latency_backoff: { text: "Queries are slow", next: "They start when reported latencies are below the policy's limit." },
  catalog_fails: { text: "Runs of their catalog failed in a row", next: "Check the catalog; one run tests it from time to time." },
  no_endpoint: { text: "No Spark endpoint can take them", next: "Add one with the labels that their policy requires, or open a drained one." },
  spark_unsuitable: { text: "Their Spark endpoints can't run the tasks", next: "The system page says what their executors lack." },
  acknowledgement: { text: "A deletion waits for an acknowledgement", next: "It would delete more than usual, or than was acknowledged: acknowledge or undo it." },
  grace: { text: "A deletion is announced", next: "It starts when its grace ends; until then it can be undone." },
  runs_in_vain: { text: "Resting after runs without effect", next: "Look at the last run of the table; a resume ends the rest." },
  min_interval: { text: "The last run was too recent", next: "schedule.min_interval of the policy sets the time between runs." },
  new_table: { text: "Newly registered", next: "They start after the first 15 minutes; a resume or an own policy ends the wait." },
  conflict_backoff: { text: "Cooling down after a conflict", next: "Other writers changed the same files; they start again later." },
  cooling_down: { text: "Cooling down after lost races", next: "Other writers changed the same files; smaller file groups follow." },
  bytes_per_day: { text: "The bytes of the day are used up", next: "limits.bytes_per_day of the policy sets them." },
  not_sealed: { text: "Partitions still receive files", next: "They start when a partition is sealed, as the policy says." },
  run_at_work: { text: "A run is at work", next: "Nothing to do: it is being rewritten." },
  run_waits: { text: "A run waits in the queue", next: "Look at the run: it shows its place and what it waits for." },
  fleet_full: { text: "The fleet's parallel runs or groups are used up", next: "Raise them in the limits, or wait." },
  catalog_full: { text: "The catalog's parallel runs are used up", next: "Raise the catalog's parallel_runs, or wait." },
  nothing_to_do: { text: "Due, but no file is worth a rewrite", next: "A rule of the policy is too strict." },
  not_possible: { text: "The policy asks for what the table does not support", next: "Open the table: it names the setting." },
  spark: { text: "Spark does not answer", next: "Look at the Spark server; runs start when it answers." },
  catalog: { text: "The catalog does not answer", next: "Check the catalog; runs start when it answers." },
  storage: { text: "The storage does not answer", next: "Check the catalog; runs start when the storage answers." },
  not_eligible: { text: "The table can't be rewritten", next: "Open the table: it shows the condition that fails." },
};

export interface HeldGroup {
  readonly hold: string;
  readonly text: string;
  readonly next: string;
  readonly tables: readonly Schemas["FleetTable"][];
}

export const holdText = (code: string): string => WORDS[code]?.text ?? code.replaceAll("_", " ");

/** Return the tables by the first thing that holds them back, the most tables first. */
export function heldGroups(tables: readonly Schemas["FleetTable"][]): HeldGroup[] {
  const groups = new Map<string, Schemas["FleetTable"][]>();
  for (const table of tables) {
    const code = table.hold ?? "unknown";
    groups.set(code, [...(groups.get(code) ?? []), table]);
  }
  return [...groups]
    .map(([hold, held]) => ({
      hold,
      text: holdText(hold),
      next: WORDS[hold]?.next ?? "Open a table: explain names the condition and its end.",
      tables: held,
    }))
    .sort((one, other) => other.tables.length - one.tables.length);
}
