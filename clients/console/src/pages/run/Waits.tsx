/** What a run waits for, until when, and how to end the wait; a cancel that is on its way. */
import { Alert, List, Stack, Text } from "@mantine/core";
import type { Schemas } from "../../api/client";
import { PageLink } from "../../parts/links";
import { RemedyLink } from "../../parts/Remedy";
import { Ago, Time } from "../../parts/Time";
import type { RunDetail } from "./runQueries";
import { waitText } from "./words";

export function Waits({ run }: { run: RunDetail }) {
  return (
    <Stack gap="sm" mb="md">
      {run.state === "queued" && <Queued run={run} />}
      {run.cancel_requested_at !== null && !run.is_terminal && (
        <Alert color="orange" variant="outline" title="Cancel requested">
          By {run.cancel_requested_by ?? "an unknown caller"} at <Time at={run.cancel_requested_at} />. The worker stops what
          it does, keeps file groups that are committed, and removes the outputs of the others.
        </Alert>
      )}
    </Stack>
  );
}

function Queued({ run }: { run: RunDetail }) {
  const pauses = pausesOf(run);
  const cause = pauses.length > 0 ? "paused" : run.waiting_for;
  const [name, meaning] = waitText(cause);
  return (
    <Alert color="yellow" variant="outline" title={`Waits for: ${name.toLowerCase()}`}>
      <Text size="sm">{meaning}</Text>
      {cause === "catalog_fails" && run.remedy !== null && <RemedyLink remedy={run.remedy} />}
      {(cause === "grace" || cause === "acknowledgement") && (
        <PageLink to="/deletions" search={{ table: run.table_id }} size="sm" underline="always">
          Open the deletions of the table
        </PageLink>
      )}
      {run.not_before !== null && (
        <Text size="sm">
          It may start from <Time at={run.not_before} /> on (<Ago at={run.not_before} />
          ).
        </Text>
      )}
      {run.detail !== null && pauses.length === 0 && (
        <Text size="sm" className="wrap-anywhere">
          {run.detail}
        </Text>
      )}
      {pauses.length > 0 && (
        <List size="sm" mt="xs">
          {pauses.map(({ scope, pause }) => (
            <List.Item key={scope}>
              {scope} paused since <Time at={pause.paused_at} /> by <span className="wrap-anywhere">{pause.paused_by}</span>:{" "}
              <span className="wrap-anywhere">{pause.reason}</span>
            </List.Item>
          ))}
        </List>
      )}
      {run.urgent_at !== null && (
        <Text size="sm">
          From <Time at={run.urgent_at} /> on it goes before all runs that are not urgent.
        </Text>
      )}
    </Alert>
  );
}

function pausesOf(run: RunDetail): { scope: string; pause: Schemas["Pause"] }[] {
  const all = [
    { scope: "The table is", pause: run.table_pause },
    { scope: `The catalog ${run.catalog} is`, pause: run.catalog_pause },
    { scope: "All tables are", pause: run.fleet_pause },
  ];
  return all.filter((one): one is { scope: string; pause: Schemas["Pause"] } => one.pause !== null);
}
