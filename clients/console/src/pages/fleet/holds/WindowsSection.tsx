/** Quiet hours and blackouts of the next 24 hours as a timeline; occurrences of one window share a line. */
import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { count, counted } from "../../../format/sizes";
import { localTime, utcTime } from "../../../format/times";
import { PageLink } from "../../../parts/links";
import { Answer, Section } from "../../../parts/states";
import { useNow } from "../../../parts/Time";
import { windowsQuery } from "../fleetQueries";
import { type FleetWindows, type Span, type WindowRow, windowRows } from "./windows";

const HOUR_MS = 3_600_000;
const SHOWN_ROWS = 20;
const TICKS = [0, 6, 12, 18, 24];
const NAMES = { quiet_hours: "quiet hours", blackout: "blackout" } as const;
const EFFECTS = { finish: "running rewrites finish", drain: "file groups in flight finish", interrupt: "running rewrites are interrupted" } as const;

export function WindowsSection() {
  const query = useQuery(windowsQuery);
  return (
    <Section title="Quiet hours of the next 24 hours">
      <Answer query={query} height={120}>
        {(windows) => <Timeline windows={windows} />}
      </Answer>
    </Section>
  );
}

function Timeline({ windows }: { windows: FleetWindows }) {
  const from = useNow(60_000);
  const to = from + 24 * HOUR_MS;
  const rows = windowRows(windows.items, from, to);
  if (rows.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No table has quiet hours or a blackout in the next 24 hours.
        {windows.window_table_count > 0
          ? ` ${counted(windows.window_table_count, "table")} ${windows.window_table_count === 1 ? "has" : "have"} one at another time.`
          : " A policy sets them, so that no rewrite starts while people query the tables."}
      </Text>
    );
  }
  const omitted = windows.omitted_count + Math.max(0, rows.length - SHOWN_ROWS);
  return (
    <div className="timeline">
      <Text size="sm" mb="xs">
        No rewrite starts within them. {count(windows.window_table_count)} of {counted(windows.table_count, "table")} {windows.window_table_count === 1 ? "has" : "have"} windows.
      </Text>
      <div className="timeline-axis" aria-hidden="true">
        <span />
        <div>
          {TICKS.map((hour) => (
            <span key={hour} style={{ left: `${(hour / 24) * 100}%` }}>
              {hour === 0 ? "now" : localTime(from + hour * HOUR_MS).slice(11, 16)}
            </span>
          ))}
        </div>
      </div>
      <ul>
        {rows.slice(0, SHOWN_ROWS).map((row) => (
          <TimelineRow key={row.key} row={row} from={from} to={to} />
        ))}
      </ul>
      {omitted > 0 && <Text size="xs" c="dimmed">{count(omitted)} more are not drawn.</Text>}
    </div>
  );
}

function TimelineRow({ row, from, to }: { row: WindowRow; from: number; to: number }) {
  const texts = row.spans.map((span) => `${NAMES[row.kind] ?? row.kind} from ${localTime(span.from)} to ${localTime(span.to)}`);
  const hover = row.spans.map((span) => `${localTime(span.from)} to ${localTime(span.to)} here, ${utcTime(span.from)} to ${utcTime(span.to)}`);
  const [only] = row.examples;
  return (
    <li>
      <div>
        {row.table_count === 1 && only !== undefined ? (
          <PageLink to="/tables/$tableId" params={{ tableId: only.table_id }} size="sm">
            <span className="cut">{only.table}</span>
          </PageLink>
        ) : (
          <span className="cut" title={row.examples.map(({ table }) => table).join("\n")}>
            {counted(row.table_count, "table")}
          </span>
        )}
        <span className="cut dim timeline-why" title={row.reason}>
          {row.reason}; {EFFECTS[row.on_start] ?? row.on_start}
        </span>
      </div>
      <div className="timeline-bar" role="img" aria-label={`${counted(row.table_count, "table")}: ${texts.join("; ")}`} title={hover.join("\n")}>
        {row.spans.map((span) => (
          <Bar key={span.from} span={span} kind={row.kind} from={from} length={to - from} />
        ))}
      </div>
    </li>
  );
}

function Bar({ span, kind, from, length }: { span: Span; kind: WindowRow["kind"]; from: number; length: number }) {
  const style = { left: `${((span.from - from) / length) * 100}%`, width: `${((span.to - span.from) / length) * 100}%` };
  return (
    <span className={`timeline-span timeline-${kind === "blackout" ? "blackout" : "quiet"}`} style={style}>
      {kind === "blackout" ? "blackout" : "quiet"}
    </span>
  );
}
