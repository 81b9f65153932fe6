/** The hash chain of the audit log: its head, its anchor, what the rows shown prove, and how to verify all of it. */
import { Text } from "@mantine/core";
import type { Schemas } from "../../api/client";
import { count, counted } from "../../format/sizes";
import { Badge } from "../../parts/badges";
import { Time } from "../../parts/Time";
import "./access.css";
import { sequenceReport } from "./sequence";

export interface ChainProps {
  readonly head: Schemas["ChainHead"] | null;
  readonly anchor: Schemas["ChainAnchor"] | null;
  readonly entries: readonly Schemas["AuditEntry"][];
  readonly isFiltered: boolean;
  readonly hasMore: boolean;
}

export function ChainSection(props: ChainProps) {
  const { head, anchor } = props;
  return (
    <section className="card chain" aria-label="Hash chain">
      {head === null ? (
        <Text size="sm">Nothing is sealed yet: a coordinator adds each change to the chain about a second later.</Text>
      ) : (
        <Text size="sm" component="div">
          <strong>{counted(head.sequence, "link")}</strong>, the last added <Time at={head.sealed_at} />. Head: <code className="wrap-anywhere">{head.hash}</code>
        </Text>
      )}
      {anchor !== null && (
        <Text size="sm" className="wrap-anywhere">
          Links up to {count(anchor.sequence)} were pruned by retention; every entry since <Time at={anchor.retained_since} /> is kept. Anchor: <code>{anchor.hash}</code>
        </Text>
      )}
      <RowsReport {...props} />
      <details>
        <summary>Verify the chain</summary>
        <Text size="sm" mt="xs">
          This page does not compute hashes. On a server, this command reads the whole log and names the first altered, missing or
          inserted entry:
        </Text>
        <pre tabIndex={0} aria-label="Command that verifies the chain">packhouse-server audit verify{head === null ? "" : ` --head ${head.hash}`}</pre>
        <Text size="sm">
          A chain alone can't show that its end was cut off, or that all of it was replaced. Store the head elsewhere from time to
          time, and give it as <code>--head</code>: it must still be in the chain then.
        </Text>
      </details>
    </section>
  );
}

/** Say what the sequence of the rows shows, and what it does not. */
function RowsReport({ entries, isFiltered, hasMore }: ChainProps) {
  const unsealed = entries.filter((entry) => !entry.is_sealed).length;
  const waiting = unsealed > 0 && ` ${counted(unsealed, "row")} ${unsealed === 1 ? "is" : "are"} not sealed yet.`;
  if (isFiltered) return <Text size="sm" c="dimmed">The rows are filtered, so that their links need not follow one another.{waiting}</Text>;
  const report = sequenceReport(entries);
  switch (report.kind) {
    case "none":
      return <Text size="sm" c="dimmed">No row shown is sealed.{waiting}</Text>;
    case "contiguous":
      return (
        <Text size="sm" component="div">
          <Badge tone="good">no gap</Badge> The rows loaded have every link from {count(report.first)} to {count(report.last)}. That none is missing between them does not prove
          that none was altered.{waiting}
        </Text>
      );
    case "gap":
      return (
        <Text size="sm" component="div">
          <Badge tone={hasMore ? "waiting" : "bad"}>gap</Badge> Links between {count(report.after)} and {count(report.before)} are not among the rows loaded.{" "}
          {hasMore ? "Changes of the same moment may be sealed in another order: load older rows." : "Verify the chain."}
          {waiting}
        </Text>
      );
    case "twice":
      return (
        <Text size="sm" component="div">
          <Badge tone="bad">twice</Badge> The link {count(report.at)} appears twice. Verify the chain.{waiting}
        </Text>
      );
  }
}
