/** One run, rewrite or upkeep: live while it runs, a report once it has ended. */
import { Code, Group } from "@mantine/core";
import { ConnectionError, UnavailableError } from "@packhouse/client";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useEffect } from "react";
import { isNotFound } from "../../api/problems";
import { RunStateBadge } from "../../parts/badges";
import { PageLink } from "../../parts/links";
import { Problem } from "../../parts/Problem";
import { PageHead, Section, Waiting } from "../../parts/states";
import { Ago, Time } from "../../parts/Time";
import { useUrlState } from "../../parts/useUrlState";
import { Attempts, TimeSplit } from "./Attempts";
import { Checks } from "./report/Checks";
import { Documents } from "./report/Documents";
import { Ending } from "./report/Ending";
import { EventsSection } from "./EventsSection";
import { Freshness } from "./live/Freshness";
import { GroupsSection } from "./groups/GroupsSection";
import { LiveFigures, RateChart } from "./live/LiveFigures";
import { Outcome } from "./report/Outcome";
import { RunActions } from "./RunActions";
import type { LiveView } from "./live/runLive";
import { type RunDetail, runQuery } from "./runQueries";
import { StateMachine } from "./StateMachine";
import { usePrintedInLight } from "./report/usePrintedInLight";
import { useRunLive } from "./live/useRunLive";
import { Waits } from "./Waits";
import { operationName } from "../../api/operations";
import "./run.css";

export default function RunPage() {
  const { runId } = useParams({ strict: false }) as { runId: string };
  return <Run key={runId} runId={runId} />;
}

function Run({ runId }: { runId: string }) {
  const live = useRunLive(runId);
  const query = useQuery(runQuery(runId));
  useRefreshOnChange(runId, live.history.state);
  usePrintedInLight();
  if (query.data === undefined && query.isError) {
    return (
      <>
        <PageHead title="Run" sub={<Code className="wrap-anywhere">{runId}</Code>} />
        <Problem error={query.error} onRetry={() => void query.refetch()}>
          {isNotFound(query.error) && (
            <PageLink to="/runs" size="sm">
              See all runs. Runs that ended long ago are removed; the list says since when they are kept.
            </PageLink>
          )}
        </Problem>
      </>
    );
  }
  if (query.data === undefined) return <Waiting height={700} label="Loading the run" />;
  // without an answer the banner of the page and the note on live updates say enough
  const isShown = query.isError && !(query.error instanceof ConnectionError) && !(query.error instanceof UnavailableError);
  return (
    <>
      {isShown && <Problem error={query.error} onRetry={() => void query.refetch()} />}
      <Content run={query.data} live={live} />
    </>
  );
}

/** Ask for the run again when an event says that its state changed. */
function useRefreshOnChange(runId: string, state: string | null): void {
  const queries = useQueryClient();
  useEffect(() => {
    if (state !== null) void queries.invalidateQueries({ queryKey: ["run", runId] });
  }, [queries, runId, state]);
}

export const SEARCH = { groups: "", events: "", event: "" };

function Content({ run, live }: { run: RunDetail; live: LiveView }) {
  const [state, change] = useUrlState(SEARCH);
  const progress = run.is_terminal ? null : (live.progress ?? run.progress);
  const isAtWork = !run.is_terminal && run.state !== "queued";
  return (
    <div className="run-page">
      <Head run={run} />
      <Freshness following={live.following} interruptedAt={live.interruptedAt} />
      <Ending run={run} />
      <Waits run={run} />
      <Section title="States">
        {live.history.sequence === 0 ? <Waiting height={150} label="Loading the states" /> : <StateMachine history={live.history} reason={run.reason} />}
      </Section>
      {isAtWork && progress !== null && progress.groups_total > 0 && <LiveFigures progress={progress} rates={live.rates} />}
      {run.is_terminal && live.rates.at.length > 1 && (
        <Section title="Rate while this page was open">
          <RateChart rates={live.rates} />
        </Section>
      )}
      {run.is_terminal && <Outcome run={run} />}
      <Checks run={run} />
      <GroupsSection run={run} live={live} filter={state.groups} onFilter={(groups) => change({ groups })} />
      <Section title="Time">
        <TimeSplit time={run.time} />
      </Section>
      <Section title="Attempts">
        <Attempts history={live.history} />
      </Section>
      <EventsSection live={live} choice={state.events} selected={state.event} onChange={change} />
      <Documents run={run} />
    </div>
  );
}

function Head({ run }: { run: RunDetail }) {
  const table = run.table ?? "a table that is not registered any more";
  return (
    <PageHead
      title={
        <>
          {operationName(run.operation)} of {table}
        </>
      }
      sub={
        <Group gap="xs">
          <RunStateBadge state={run.state} waitingFor={run.waiting_for} />
          <Code>{run.id}</Code>
          <span>
            submitted <Time at={run.created_at} /> (<Ago at={run.created_at} />) by{" "}
            <span className="wrap-anywhere">{run.requested_by}</span>, priority {run.priority}
          </span>
          {run.worker !== null && (
            <span>
              at work: <span className="wrap-anywhere">{run.worker}</span>, attempt {run.attempt}
            </span>
          )}
        </Group>
      }
    >
      <RunActions run={run} />
    </PageHead>
  );
}
