/** The request of a run, as the dialog's form, for the API and for a terminal. */
import type { Schemas } from "../../../api/client";
import { commandLine } from "../../../format/commands";
import type { ConditionRow, Predicate } from "./predicate";

export type Operation = Schemas["Operation"];

export type Extent = "as_planned" | "force_full" | "every_file";

export interface RunForm {
  readonly rows: readonly ConditionRow[];
  readonly extent: Extent;
  readonly force: boolean;
  /** Empty: the priority of the policy. */
  readonly priority: "" | Schemas["Priority"];
}

export const EMPTY_FORM: RunForm = { rows: [], extent: "as_planned", force: false, priority: "" };

/** Return what is submitted; only a rewrite has partitions and an extent. */
export function submitOf(tableId: string, operation: Operation, form: RunForm, partitions: Predicate | null): Schemas["RunSubmit"] {
  return {
    table_id: tableId,
    operation,
    ...(form.force ? { force: true } : {}),
    ...(form.priority === "" ? {} : { priority: form.priority }),
    ...(operation === "rewrite" && partitions !== null ? { partitions } : {}),
    ...(operation === "rewrite" && form.extent !== "as_planned" ? { [form.extent]: true } : {}),
  } as Schemas["RunSubmit"];
}

/** Return the command for a request. */
export function commandOfRun(address: string, request: Schemas["RunSubmit"]): string {
  const { operation, partitions } = request;
  return commandLine(
    ["packhouse", "run", address],
    operation !== "rewrite" && operation !== undefined && ["--operation", operation],
    partitions !== undefined && partitions !== null && ["--partition", JSON.stringify(partitions)],
    request.force_full === true && "--force-full",
    request.every_file === true && "--every-file",
    request.force === true && "--force",
    request.priority && ["--priority", request.priority],
    request.plan_hash && ["--plan-hash", request.plan_hash],
    request.confirm && ["--confirm", request.confirm],
    request.dry_run === true && "--dry-run",
  );
}
