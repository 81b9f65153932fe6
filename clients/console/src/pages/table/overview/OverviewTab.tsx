/** How the files of a table are now, how they were, and which partitions need a rewrite most. */
import { Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { bytes, count, counted, share } from "../../../format/sizes";
import { CopyAs } from "../../../parts/CopyAs";
import { commandLine } from "../../../format/commands";
import { tableAddress } from "../../../format/addresses";
import { Answer, Empty, Figure, Section } from "../../../parts/states";
import { Ago } from "../../../parts/Time";
import { useUrlState } from "../../../parts/useUrlState";
import { type Health, healthQuery, type Table } from "../tableQueries";
import { TABLE_STATE } from "../urlState";
import { Backpressure } from "./Backpressure";
import { HealthOverTime } from "./HealthOverTime";
import { ScoreParts } from "./ScoreParts";
import { SizeClasses } from "./SizeClasses";
import { WorstPartitions } from "./WorstPartitions";

export function OverviewTab({ table }: { table: Table }) {
  const query = useQuery(healthQuery(table.id));
  return (
    <Answer query={query} height={700}>
      {(health) => (health.file_count === 0 ? <NoFiles table={table} /> : <Overview table={table} health={health} />)}
    </Answer>
  );
}

function Overview({ table, health }: { table: Table; health: Health }) {
  const [, change] = useUrlState(TABLE_STATE);
  return (
    <>
      <Figures health={health} />
      <Text size="sm" c="dimmed" mb="md" component="div">
        Measured <Ago at={health.measured_at} /> in snapshot <span className="wrap-anywhere">{health.snapshot_id ?? "none"}</span>.{" "}
        <CopyAs
          request={{ method: "GET", path: `/v1/tables/${encodeURIComponent(table.id)}/health` }}
          cli={commandLine("packhouse", "tables", "health", tableAddress(table))}
        />
      </Text>
      <div className="two-columns">
        <Section title="Files by size now">
          <SizeClasses health={health} />
        </Section>
        <Section title="Score">
          <ScoreParts health={health} />
        </Section>
      </div>
      <HealthOverTime table={table} />
      <Section
        title="Partitions that need it most"
        aside={
          <Button size="xs" variant="default" onClick={() => change({ tab: "partitions" }, { push: true })}>
            Show all {counted(health.partition_count, "partition")}
          </Button>
        }
      >
        <WorstPartitions health={health} />
      </Section>
      <div className="two-columns">
        <Section title="Metadata and history">
          <Metadata health={health} />
        </Section>
        <Section title="Writers">
          <Backpressure table={table} />
        </Section>
      </div>
    </>
  );
}

function Figures({ health }: { health: Health }) {
  const deletes = health.files_with_deletes;
  return (
    <div className="figures-row">
      <Figure name="Score" value={Math.round(health.score)} hint="100: no rewrite could improve it" />
      <Figure name="Data files" value={count(health.file_count)} hint={`${bytes(health.total_bytes)}, on average ${bytes(health.average_file_bytes)}`} />
      <Figure name="Small files" value={count(health.small_file_count)} hint={`below ${bytes(health.small_file_bytes)}: ${share(health.small_file_share)}`} />
      <Figure name="Avoidable files" value={count(health.avoidable_file_count)} hint={`a rewrite merges them: ${bytes(health.avoidable_bytes)}`} />
      <Figure name="Partitions" value={count(health.partition_count)} hint={`${count(health.record_count)} rows`} />
      <Figure name="Files with deletes" value={count(deletes)} hint={deletes === 0 ? "no delete applies" : `at most ${counted(health.deleted_rows, "row")} deleted`} />
    </div>
  );
}

function Metadata({ health }: { health: Health }) {
  const { metadata } = health;
  const facts: [string, ReactNode][] = [
    ["Format", `${health.table.format}, version ${health.table.format_version ?? "unknown"}`],
    ["Snapshots", <>{count(metadata.snapshot_count)}{metadata.oldest_snapshot_at !== null && <>, the oldest <Ago at={metadata.oldest_snapshot_at} /></>}</>],
    ["Only old snapshots need", bytes(metadata.history_bytes)],
    ["Manifests", `${count(metadata.manifest_count)}, on average ${bytes(metadata.average_manifest_bytes)}`],
    ["Metadata", bytes(metadata.metadata_bytes)],
    ["Delete files", count(metadata.delete_file_count)],
    ["Over-large files", health.large_file_bytes === null ? count(health.large_file_count) : `${count(health.large_file_count)} above ${bytes(health.large_file_bytes)}`],
    ["Files of an older partition spec", `${count(health.old_spec_file_count)}, ${bytes(health.old_spec_bytes)}`],
  ];
  if (health.outside_file_count > 0) facts.push(["Files outside of the location", `${count(health.outside_file_count)}: their partitions are left alone`]);
  if (health.order !== null) facts.push(["Not in the order", `${count(health.order.unordered_file_count)} files, ${share(health.order.unordered_share)} of the bytes (${health.order.strategy})`]);
  return (
    <dl className="facts">
      {facts.map(([name, value]) => (
        <div key={name} style={{ display: "contents" }}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function NoFiles({ table }: { table: Table }) {
  return (
    <Empty title="The table has no data files yet">
      <Text>Its figures appear here after the first write to {table.location.slice(0, 300)}; the coordinator looks at it again soon.</Text>
    </Empty>
  );
}
