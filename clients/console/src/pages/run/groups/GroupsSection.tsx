/** File groups of a run: a grid by state, and a list that can be limited to one state. */
import { Button, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { bytes, count } from "../../../format/sizes";
import { Badge } from "../../../parts/badges";
import { type Column, RowsTable } from "../../../parts/RowsTable";
import { Answer, Empty, Section } from "../../../parts/states";
import { counts, type FileGroup, GROUP_STATES, type GroupState, merged } from "./groups";
import { GroupsGrid } from "./GroupsGrid";
import type { LiveView } from "../live/runLive";
import { groupsQuery, MOST_GROUPS, type RunDetail } from "../runQueries";
import { reasonText } from "../words";

const TONES = { planned: "quiet", running: "busy", written: "waiting", committed: "good", dropped: "bad" } as const;

const COLUMNS: readonly Column<FileGroup>[] = [
  { key: "ordinal", title: "Group", width: "70px", align: "right", cell: (group) => count(group.ordinal) },
  { key: "state", title: "State", width: "110px", cell: (group) => <Badge tone={TONES[group.state]}>{group.state}</Badge> },
  { key: "partition", title: "Partition", cell: (group) => <PartitionCell text={group.partition.text} /> },
  { key: "files", title: "Files in", align: "right", cell: (group) => count(group.input_files) },
  { key: "bytes", title: "Bytes in", align: "right", cell: (group) => bytes(group.input_bytes) },
  { key: "outputs", title: "Files out", align: "right", cell: outputs },
  { key: "size", title: "Bytes out", align: "right", cell: (group) => (group.output_files > 0 ? bytes(group.output_bytes) : "–") },
  { key: "attempt", title: "Attempt", align: "right", cell: (group) => count(group.attempt) },
  { key: "reason", title: "Reason", cell: (group) => <ReasonCell reason={group.reason} /> },
];

function PartitionCell({ text }: { text: string }) {
  return (
    <span className="cut" title={text}>
      {text}
    </span>
  );
}

function ReasonCell({ reason }: { reason: string | null }) {
  if (reason === null) return <>–</>;
  return (
    <span className="cut" title={reasonText(reason)}>
      {reasonText(reason)}
    </span>
  );
}

function outputs(group: FileGroup): string {
  return group.output_files > 0 ? count(group.output_files) : `${count(group.predicted_outputs)} planned`;
}

export function GroupsSection({
  run,
  live,
  filter,
  onFilter,
}: {
  run: RunDetail;
  live: LiveView;
  filter: string;
  onFilter: (state: string) => void;
}) {
  const isRunning = !run.is_terminal && run.state !== "queued";
  const query = useQuery(groupsQuery(run.id, live.history.plans, isRunning));
  const groups = useMemo(() => merged(query.data ?? [], live.news), [query.data, live.news]);
  if (query.data?.length === 0 && !run.operation.startsWith("rewrite")) return null;
  return (
    <Section title="File groups">
      <Answer query={query} height={420}>
        {() => (groups.length === 0 ? <NoGroups run={run} /> : <Groups groups={groups} filter={filter} onFilter={onFilter} />)}
      </Answer>
    </Section>
  );
}

function NoGroups({ run }: { run: RunDetail }) {
  const text = run.is_terminal
    ? "The run planned no group that it stored: see its state and reason above."
    : "Groups are stored when the plan is made. They appear here then.";
  return <Empty title="No file groups">{text}</Empty>;
}

function Groups({ groups, filter, onFilter }: { groups: readonly FileGroup[]; filter: string; onFilter: (state: string) => void }) {
  const found = useMemo(() => counts(groups), [groups]);
  const shown = useMemo(() => (filter === "" ? groups : groups.filter(({ state }) => state === filter)), [groups, filter]);
  return (
    <>
      <GroupsGrid groups={groups} />
      {groups.length >= MOST_GROUPS && (
        <Text size="sm" c="dimmed">
          The first {count(MOST_GROUPS)} groups are shown; `packhouse runs groups` lists all.
        </Text>
      )}
      <Group gap="xs" my="xs" role="group" aria-label="Show groups in the state" className="no-print">
        <FilterButton name="all" total={groups.length} isOn={filter === ""} onClick={() => onFilter("")} />
        {GROUP_STATES.map((state: GroupState) => (
          <FilterButton key={state} name={state} total={found[state]} isOn={filter === state} onClick={() => onFilter(state)} />
        ))}
      </Group>
      {shown.length === 0 ? (
        <Text c="dimmed" py="md">
          No group is {filter}.
        </Text>
      ) : (
        <RowsTable label="List of file groups" columns={COLUMNS} rows={shown} rowKey={({ ordinal }) => String(ordinal)} height={320} />
      )}
    </>
  );
}

function FilterButton({ name, total, isOn, onClick }: { name: string; total: number; isOn: boolean; onClick: () => void }) {
  return (
    <Button size="compact-sm" variant={isOn ? "filled" : "default"} aria-pressed={isOn} onClick={onClick} className={`filter-${name}`}>
      {name} {count(total)}
    </Button>
  );
}
