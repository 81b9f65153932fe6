/** The runs that are live, by state, each with what it waits for. */
import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { Schemas } from "../../api/client";
import { count } from "../../format/sizes";
import { RunStateBadge } from "../../parts/badges";
import { PageLink } from "../../parts/links";
import { type Column, RowsTable } from "../../parts/RowsTable";
import { Answer, Section } from "../../parts/states";
import { Ago } from "../../parts/Time";
import { liveRunsQuery } from "./fleetQueries";

type Run = Schemas["RunSummary"];

const COLUMNS: readonly Column<Run>[] = [
  {
    key: "run",
    title: "Run",
    cell: (run) => (
      <PageLink to="/runs/$runId" params={{ runId: run.id }} size="sm">
        <span className="cut">{run.table ?? "a deleted table"}</span>
      </PageLink>
    ),
  },
  { key: "operation", title: "Operation", cell: (run) => run.operation.replaceAll("_", " ") },
  { key: "state", title: "State", cell: (run) => <RunStateBadge state={run.state} waitingFor={run.waiting_for} /> },
  { key: "since", title: "Submitted", align: "right", cell: (run) => <Ago at={run.created_at} /> },
];

export function LiveRuns({ live }: { live: Schemas["Fleet"]["live_runs"] }) {
  const query = useQuery(liveRunsQuery);
  const counts = Object.entries(live).filter(([, runs]) => runs > 0);
  const all = counts.reduce((sum, [, runs]) => sum + runs, 0);
  return (
    <Section
      title="Live runs"
      aside={
        <PageLink to="/runs" size="sm">
          All runs
        </PageLink>
      }
    >
      <Text size="sm" mb="xs">
        {all === 0 ? "None at present." : counts.map(([state, runs]) => `${count(runs)} ${state}`).join(", ")}
      </Text>
      <Answer query={query} height={160}>
        {({ items }) =>
          items.length === 0 ? (
            <Text size="sm" c="dimmed">
              A run starts when a table is due and nothing holds it back, or when you submit one on the page of a table.
            </Text>
          ) : (
            <>
              <RowsTable label="Runs that are queued or at work" columns={COLUMNS} rows={items} rowKey={(run) => run.id} height={320} />
              {all > items.length && <Text size="xs" c="dimmed" mt={4}>The newest {count(items.length)} of {count(all)}.</Text>}
            </>
          )
        }
      </Answer>
    </Section>
  );
}
