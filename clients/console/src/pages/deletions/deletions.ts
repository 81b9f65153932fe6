/** What the page says of deletions: their order, how much was deleted, and what an undo does now. */
import type { Schemas } from "../../api/client";
import { bytes, counted } from "../../format/sizes";
import { distance } from "../../format/times";
import { operationName } from "../../api/operations";

export type Deletion = Schemas["Deletion"];
type State = Schemas["DeletionState"];

export const LIVE: readonly State[] = ["pending", "running"];
export const ENDED: readonly State[] = ["done", "failed", "undone"];

/** Return live deletions in the order in which they need attention: those that a person must decide on, then by their start. */
export function byStart(deletions: readonly Deletion[]): readonly Deletion[] {
  const start = (one: Deletion) => (needsPerson(one) ? -1 : one.state === "running" || one.starts_at === null ? 0 : Date.parse(one.starts_at));
  return deletions.toSorted((a, b) => start(a) - start(b));
}

/** Whether it waits until a person acknowledges what it deletes. */
export const needsPerson = ({ waiting_for: cause }: Deletion): boolean => cause === "acknowledgement";

/** Return the name of the table, or its id if it is not registered any more. */
export const tableOf = ({ table, table_id: id }: Deletion): string => table ?? id;

/** Whether nothing is deleted yet, and an undo keeps all of it. */
export const isAnnounced = ({ state }: Deletion): boolean => state === "pending";

/** Whether the coordinator submitted it by the policy. */
export const isAutomatic = ({ requested_by: by }: Deletion): boolean => by === "coordinator";

/** Answer in a sentence what is deleted next; `deletions`: the live ones, by their start. */
export function headline(deletions: readonly Deletion[], isCut: boolean, nowMs: number): string {
  const running = deletions.filter((one) => !isAnnounced(one)).length;
  const waiting = deletions.filter(needsPerson).length;
  const announced = deletions.filter((one) => isAnnounced(one) && !needsPerson(one));
  const parts = [
    waiting === 0 ? null : `${counted(waiting, "deletion")} ${waiting === 1 ? "waits" : "wait"} for an acknowledgement.`,
    running === 0 ? null : `${counted(running, "deletion")} ${running === 1 ? "is" : "are"} at work.`,
    announcedText(announced, isCut, nowMs),
  ].filter((part) => part !== null);
  return parts.length === 0 ? "No deletion is announced or at work." : parts.join(" ");
}

function announcedText(announced: readonly Deletion[], isCut: boolean, nowMs: number): string | null {
  const [next] = announced;
  if (next === undefined) return null;
  const what = `${operationName(next.operation).toLowerCase()} of ${tableOf(next)}`;
  if (announced.length === 1) return `1 deletion is announced: ${what}, which ${startText(next, nowMs)}.`;
  return `${isCut ? "More than " : ""}${counted(announced.length, "deletion")} are announced. The next one, ${what}, ${startText(next, nowMs)}.`;
}

/** Return when an announced deletion starts: `starts in 3 h 12 min`, or what it waits for after its grace. */
export function startText({ starts_at: at, waiting_for: cause }: Deletion, nowMs: number): string {
  if (at !== null && Date.parse(at) > nowMs) return `starts ${distance(at, nowMs)}`;
  if (cause === "acknowledgement") return "waits for an acknowledgement";
  return cause === null || cause === "grace" ? "starts now" : `waits for: ${cause.replaceAll("_", " ")}`;
}

/** Return what was deleted so far: `31 snapshots, 84 files, 345 KiB`. */
export function deletedText(result: Deletion["result"]): string {
  const snapshots = "expired_snapshots" in result ? (result.expired_snapshots ?? null) : null;
  const files = "deleted_files" in result ? (result.deleted_files ?? null) : null;
  const size = "deleted_bytes" in result && files !== null ? (result.deleted_bytes ?? null) : null;
  return amountsText({ snapshots, files, bytes: size }, "nothing");
}

function amountsText({ snapshots, files, bytes: size }: Schemas["DeletionAmounts"], none: string): string {
  const parts = [
    snapshots === null ? null : counted(snapshots, "snapshot"),
    files === null ? null : counted(files, "file"),
    size === null ? null : bytes(size),
  ].filter((part) => part !== null);
  return parts.length === 0 ? none : parts.join(", ");
}

/** Return what a deletion would delete, and why that needs an acknowledgement. */
export function askedText(asked: Schemas["DeletionAcknowledgement"]): string {
  const { amounts, median, factor, share_percent: share, up_to: bound } = asked;
  const would = `It would delete ${amountsText(amounts, "an amount that is not known")}`;
  if (median === null) {
    const most = { snapshots: bound["snapshots"] ?? null, files: bound["files"] ?? null, bytes: bound["bytes"] ?? null };
    return `${would}. That is more than was acknowledged: up to ${amountsText(most, "nothing")}.`;
  }
  return `${would}. That is more than ${factor} times the median of the last deletions (${amountsText(median, "nothing")}) and ${share} % of the table.`;
}

/** Return what an undo does now. */
export function undoText(deletion: Deletion): string {
  const { setting } = deletion;
  const off =
    isAutomatic(deletion) && setting !== null
      ? ` So that it is not announced again, ${setting} is set to off in the policy of this table; set it there when it may delete.`
      : "";
  return isAnnounced(deletion)
    ? `Nothing of it is deleted yet, and nothing will be.${off}`
    : `It stops within seconds. What it has deleted by then can't be brought back.${off}`;
}
