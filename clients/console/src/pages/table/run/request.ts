/** The request of a run, as the dialog's form, for the API and for a terminal. */
import type { RunWish } from "@packhouse/client";
import type { Schemas } from "../../../api/client";
import { commandLine } from "../../../format/commands";
import type { ConditionRow, Predicate } from "./predicate";

export type Operation = Schemas["Operation"];

export type Extent = "as_planned" | "force_full" | "every_file";

export interface RunForm {
  readonly rows: readonly ConditionRow[];
  readonly extent: Extent;
  readonly allowDuplicate: boolean;
  readonly includeCooling: boolean;
  /** Empty: the priority of the policy. */
  readonly priority: "" | Schemas["Priority"];
}

export const EMPTY_FORM: RunForm = { rows: [], extent: "as_planned", allowDuplicate: false, includeCooling: false, priority: "" };

/** Return what is submitted; only a rewrite has partitions and an extent. */
export function submitOf(tableId: string, operation: Operation, form: RunForm, partitions: Predicate | null): RunWish {
  return {
    table_id: tableId,
    operation,
    ...(form.allowDuplicate ? { allow_duplicate: true } : {}),
    ...(form.priority === "" ? {} : { priority: form.priority }),
    ...(operation === "rewrite" && partitions !== null ? { partitions } : {}),
    ...(operation === "rewrite" && form.extent !== "as_planned" ? { [form.extent]: true } : {}),
    ...(operation === "rewrite" && form.includeCooling ? { include_cooling: true } : {}),
  } as RunWish;
}

/** Return the command for a request. */
export function commandOfRun(address: string, request: RunWish): string {
  const { operation, priority } = request;
  return commandLine(
    ["packhouse", "run", address],
    operation !== "rewrite" && ["--operation", operation],
    ...(operation === "rewrite" ? scopeOptions(request) : []),
    request.allow_duplicate === true && "--allow-duplicate",
    priority && ["--priority", priority],
    ...(operation === "purge" ? [["--plan-hash", request.plan_hash], ["--confirm", request.confirm]] : []),
  );
}

/** Return the options that name what a rewrite takes. */
export const scopeOptions = ({ partitions, force_full, every_file, include_cooling }: Schemas["RewriteSubmission"]) => [
  partitions !== undefined && partitions !== null && ["--partition", JSON.stringify(partitions)],
  force_full === true && "--force-full",
  every_file === true && "--every-file",
  include_cooling === true && "--include-cooling",
];
