/** Signals as a person reads them. */
import type { Schemas } from "../../api/client";
import { bytes, count, counted } from "../../format/sizes";
import { duration, localTime } from "../../format/times";

export type Kind = Schemas["SignalKind"];
type Content = Schemas["Signal"]["signal"];

export const KINDS: Readonly<Record<Kind, { label: string; about: string; example: string }>> = {
  commit: { label: "Commits", about: "A writer committed to a table: its next look follows within seconds.", example: "added_files=12" },
  query_latency: { label: "Query latency", about: "Latencies of recent queries: rewrites slow down or stop while they are above the policy's limit.", example: "p95_seconds=2.5" },
  backpressure: { label: "Back-pressure", about: "Writers are asked to slow down, or no longer.", example: "slow_down=true reason='too many small files'" },
  filters: { label: "Filters", about: "Columns that queries filter by: advice proposes an order of rows from them.", example: "'queries=[{columns: [day], query_count: 40}]'" },
  oldest_reader: { label: "Oldest reader", about: "The oldest snapshot that a running reader needs: it does not expire.", example: "snapshot_id=7" },
};

export const isKind = (text: string): text is Kind => Object.hasOwn(KINDS, text);

/** Return the content of a signal in a line. */
export function summaryOf(signal: Content): string {
  switch (signal.kind) {
    case "commit":
      return [
        signal.snapshot_id == null ? "a snapshot" : `snapshot ${signal.snapshot_id}`,
        ...(signal.added_files == null ? [] : [counted(signal.added_files, "file")]),
        ...(signal.added_bytes == null ? [] : [bytes(signal.added_bytes)]),
      ].join(", ");
    case "query_latency": {
      const percentiles = (["p50", "p95", "p99"] as const).flatMap((name) => {
        const seconds = signal[`${name}_seconds`];
        return seconds == null ? [] : [`${name} ${Number(seconds.toPrecision(3))} s`];
      });
      return [...percentiles, ...(signal.query_count == null ? [] : [`of ${counted(signal.query_count, "query", "queries")}`])].join(", ");
    }
    case "backpressure":
      return `${signal.slow_down ? "slow down" : "no need to slow down"} for ${duration(signal.valid_seconds)}: ${signal.reason}`;
    case "filters":
      return signal.queries
        .map(({ columns, query_count }) => `${columns.length === 0 ? "no filter" : columns.join(" and ")} (${count(query_count)})`)
        .join("; ");
    case "oldest_reader":
      return `${signal.snapshot_id == null ? `the snapshot of ${localTime(signal.committed_at ?? "")}` : `snapshot ${signal.snapshot_id}`}, for ${duration(signal.valid_seconds)}`;
  }
}
