/** What a rewrite would do: files, bytes, time, groups, and the partitions that it leaves alone with the reason. */
import { Text } from "@mantine/core";
import type { Schemas } from "../../../api/client";
import { bytes, count, counted } from "../../../format/sizes";
import { duration } from "../../../format/times";
import { Badge } from "../../../parts/badges";
import { type Column, RowsTable } from "../../../parts/RowsTable";
import { Figure } from "../../../parts/states";
import { Time } from "../../../parts/Time";

type Plan = Schemas["TablePlan"];

const GROUPS: readonly Column<Schemas["PlannedGroup"]>[] = [
  { key: "partition", title: "Partition", cell: (group) => <span className="cut" title={group.partition.text}>{group.partition.text}</span> },
  { key: "files", title: "Files in", align: "right", cell: (group) => count(group.input_files) },
  { key: "out", title: "Files out", align: "right", cell: (group) => `about ${count(group.predicted_outputs)}` },
  { key: "bytes", title: "Bytes in", align: "right", cell: (group) => bytes(group.input_bytes) },
  { key: "rows", title: "Rows", align: "right", cell: (group) => count(group.input_rows) },
];

const SKIPPED: readonly Column<Schemas["SkippedPartition"]>[] = [
  { key: "partition", title: "Partition", cell: (one) => <span className="cut" title={one.partition.text}>{one.partition.text}</span> },
  { key: "reason", title: "Reason", cell: (one) => <>{one.reason.replaceAll("_", " ")}{one.until !== null && <> until <Time at={one.until} /></>}</> },
  { key: "files", title: "Files", align: "right", cell: (one) => count(one.files) },
  { key: "bytes", title: "Bytes", align: "right", cell: (one) => bytes(one.bytes) },
];

export function PlanPreview({ plan }: { plan: Plan }) {
  const { prediction, time_estimate: estimate } = plan;
  const failed = plan.conditions.filter(({ holds }) => !holds);
  return (
    <div role="status" aria-label="Plan">
      {failed.length > 0 && (
        <Text size="sm" mb="xs">
          <Badge tone="bad">cannot be rewritten</Badge> {failed.map(({ detail }) => detail).join("; ")}
        </Text>
      )}
      {plan.groups_total === 0 && (
        <Text size="sm" mb="xs">
          A run would find nothing to do: no file of these partitions is worth a rewrite. See the reasons below, or choose “Whole partitions”.
        </Text>
      )}
      <div className="figures-row">
        <Figure name="Files" value={`${count(prediction.input_files)} → ${count(prediction.output_files)}`} hint={`in ${counted(plan.groups_total, "file group")}`} />
        <Figure name="Bytes" value={bytes(prediction.input_bytes)} hint={`read, then ${bytes(prediction.output_bytes)} written`} />
        <Figure name="Time at work" value={duration(prediction.seconds)} hint={estimate.evidence} />
        <Figure name="Left alone" value={counted(plan.skipped_total, "partition")} hint={plan.later.partitions > 0 ? `${counted(plan.later.partitions, "partition")} planned later` : "each with its reason below"} />
      </div>
      {estimate.limit_bytes_per_second !== null && (
        <Text size="sm" c="dimmed">
          Limited to {bytes(estimate.limit_bytes_per_second)}/s, read and written.
        </Text>
      )}
      {plan.deferred_groups > 0 && (
        <Text size="sm">{counted(plan.deferred_groups, "file group")} would be left for later: they exceed the rest of limits.bytes_per_day.</Text>
      )}
      {plan.groups.length > 0 && (
        <details open>
          <summary>File groups{plan.groups_total > plan.groups.length && `: the first ${count(plan.groups.length)} of ${count(plan.groups_total)}`}</summary>
          <RowsTable label="File groups of the plan" columns={GROUPS} rows={plan.groups} rowKey={(group) => String(group.ordinal)} height={220} />
        </details>
      )}
      {plan.skipped.length > 0 && (
        <details>
          <summary>Partitions left alone{plan.skipped_total > plan.skipped.length && `: the first ${count(plan.skipped.length)} of ${count(plan.skipped_total)}`}</summary>
          <RowsTable label="Partitions left alone" columns={SKIPPED} rows={plan.skipped} rowKey={(one) => `${one.spec_id} ${one.partition.text}`} height={220} />
        </details>
      )}
    </div>
  );
}
