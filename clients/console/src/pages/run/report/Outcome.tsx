/** What an ended run achieved: before and after, predicted and measured, snapshots, waste, files that it deleted. */
import { Code, Group, List, Text } from "@mantine/core";
import { bytes, count, share } from "../../../format/sizes";
import { duration } from "../../../format/times";
import { DeletedFilesButton } from "../../../parts/DeletedFilesButton";
import { PageLink } from "../../../parts/links";
import { Figure, Section } from "../../../parts/states";
import { changesOf, type Comparison, predictionsOf } from "./documents";
import type { RunDetail } from "../runQueries";
import { reasonText } from "../words";

const SHOWN_SNAPSHOTS = 50;

export function Outcome({ run }: { run: RunDetail }) {
  const changes = changesOf(run.result);
  const predictions = predictionsOf(run.result, run.plan);
  return (
    <>
      <div className="two-columns">
        {changes.length > 0 && (
          <Section title="Before and after">
            <Compared rows={changes} from="Before" to="After" />
          </Section>
        )}
        {predictions.length > 0 && (
          <Section title="Predicted and measured">
            <Compared rows={predictions} from="Predicted" to="Measured" />
          </Section>
        )}
      </div>
      <Removed run={run} />
      <div className="two-columns">
        <Snapshots run={run} />
        <Waste run={run} />
      </div>
    </>
  );
}

const FORMATS = { count, bytes, seconds: duration } as const;

function Compared({ rows, from, to }: { rows: readonly Comparison[]; from: string; to: string }) {
  return (
    <table className="plain-table">
      <thead>
        <tr>
          <td />
          <th scope="col" className="right">{from}</th>
          <th scope="col" className="right">{to}</th>
          <th scope="col" className="right">Difference</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.name}>
            <th scope="row">{row.name}</th>
            <td className="right">{FORMATS[row.kind](row.from)}</td>
            <td className="right">{FORMATS[row.kind](row.to)}</td>
            <td className="right">{change(row)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function change({ from, to }: Comparison): string {
  if (from === null || to === null || from === 0) return "–";
  const ratio = to / from;
  if (ratio >= 10) return `× ${count(Math.round(ratio))}`;
  return ratio === 1 ? "equal" : `${ratio > 1 ? "+" : "−"}${share(Math.abs(ratio - 1))}`;
}

/** Snapshots and files that an upkeep run removed, with the list of files. */
function Removed({ run }: { run: RunDetail }) {
  const { result } = run;
  if (!("deleted_files" in result)) return null;
  const expired = "expired_snapshots" in result ? (result.expired_snapshots ?? null) : null;
  const files = result.deleted_files ?? null;
  const failures = result.delete_failures ?? 0;
  if (expired === null && files === null) return null;
  return (
    <Section title="Removed" aside={result.deleted_files_list && <DeletedFilesButton runId={run.id} label="Download the deleted files (CSV)" />}>
      <div className="figures-row">
        {expired !== null && <Figure name="Snapshots expired" value={count(expired)} />}
        {files !== null && <Figure name="Files deleted" value={count(files)} hint={bytes(result.deleted_bytes ?? null)} />}
        {failures > 0 && <Figure name="Files that the store refused to delete" value={count(failures)} hint="Samples are in the result document below." />}
      </div>
    </Section>
  );
}

function Snapshots({ run }: { run: RunDetail }) {
  const ids = "snapshot_ids" in run.result ? (run.result.snapshot_ids ?? []) : [];
  const base = run.plan.operation === "rewrite" ? (run.plan.base_snapshot_id ?? null) : null;
  if (ids.length === 0) return null;
  return (
    <Section title="Snapshots">
      {base !== null && (
        <Text size="sm">
          Planned on <Code>{base}</Code>. Committed:
        </Text>
      )}
      <List size="sm">
        {ids.slice(-SHOWN_SNAPSHOTS).map((id) => (
          <List.Item key={id}>
            <Code>{id}</Code>
          </List.Item>
        ))}
      </List>
      {ids.length > SHOWN_SNAPSHOTS && <Text size="sm">The newest {SHOWN_SNAPSHOTS} of {count(ids.length)}; all are in the result document.</Text>}
    </Section>
  );
}

function Waste({ run }: { run: RunDetail }) {
  const { result } = run;
  if (result.operation !== "rewrite") return null;
  const wasted = result.wasted_bytes ?? null;
  if (wasted === null) return null;
  const dropped = Object.entries(result.groups_dropped ?? {});
  const lost = result.races?.groups_lost ?? 0;
  return (
    <Section title="Waste">
      <Text size="sm">
        {wasted === 0 ? "None: no output file was written and then dropped." : `${bytes(wasted)} were written and not committed.`}
        {lost > 0 && ` ${count(lost)} groups were lost to other writers.`}
      </Text>
      {dropped.length > 0 && (
        <List size="sm" mt="xs">
          {dropped.map(([reason, groups]) => (
            <List.Item key={reason} className="wrap-anywhere">
              {groups} {groups === 1 ? "group" : "groups"} dropped: {reasonText(reason)}
            </List.Item>
          ))}
        </List>
      )}
      {dropped.length > 0 && (
        <Group mt="xs" className="no-print">
          <PageLink to="/runs/$runId" params={{ runId: run.id }} search={{ groups: "dropped" }} resetScroll={false} size="sm">
            List them under “File groups” below
          </PageLink>
        </Group>
      )}
    </Section>
  );
}
