/** Runs at work now, above the history. */
import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { RunStateBadge } from "../../parts/badges";
import { PageLink } from "../../parts/links";
import { Answer, Section } from "../../parts/states";
import { Ago } from "../../parts/Time";
import { operationName } from "../../api/operations";
import type { Filters } from "./filters";
import type { RunSummary } from "./gantt";
import { activeQuery, MOST_ACTIVE } from "./runsQueries";

export function ActiveRuns({ filters }: { filters: Filters }) {
  const query = useQuery(activeQuery(filters));
  return (
    <Section title="Running now">
      <Answer query={query} height={64}>
        {({ items, next_page_token: next }) =>
          items.length === 0 ? (
            <Text c="dimmed" className="active-none">
              No run is at work{next === null ? "" : " among the newest"}. Queued runs are in the list below.
            </Text>
          ) : (
            <>
              <ul className="active-runs">
                {items.map((run) => (
                  <ActiveRun key={run.id} run={run} />
                ))}
              </ul>
              {next !== null && (
                <Text size="sm" c="dimmed">
                  The newest {MOST_ACTIVE} are shown; filter the list below by state to see all.
                </Text>
              )}
            </>
          )
        }
      </Answer>
    </Section>
  );
}

function ActiveRun({ run }: { run: RunSummary }) {
  const table = run.table ?? run.table_id;
  return (
    <li className="card">
      <PageLink to="/runs/$runId" params={{ runId: run.id }} className="cut" title={table}>
        {table}
      </PageLink>
      <span className="active-line">
        <RunStateBadge state={run.state} />
        <Text size="sm" component="span">
          {operationName(run.operation)}, started <Ago at={run.started_at} />
          {run.attempt > 1 && `, attempt ${run.attempt}`}
        </Text>
      </span>
    </li>
  );
}
