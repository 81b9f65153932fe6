/** Quiet hours and blackouts of the next 24 hours as a timeline; tables with the same windows share a line. */
import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { count, counted } from "../../format/sizes";
import { localTime } from "../../format/times";
import { Answer, Section } from "../../parts/states";
import { useNow } from "../../parts/Time";
import { windowsQuery } from "./fleetQueries";
import { type FleetWindow, type WindowRow, windowRows } from "./windows";

const HOUR_MS = 3_600_000;
const SHOWN_ROWS = 20;
const TICKS = [0, 6, 12, 18, 24];
const NAMES: Readonly<Record<string, string>> = { quiet_hours: "quiet hours", blackout: "blackout" };

export function WindowsSection() {
  const query = useQuery(windowsQuery);
  return (
    <Section title="Quiet hours of the next 24 hours">
      <Answer query={query} height={120}>
        {(windows) =>
          windows === null ? (
            <Text size="sm" c="dimmed">
              This server does not list the windows of the fleet. The page of each table shows its own.
            </Text>
          ) : (
            <Timeline windows={windows} />
          )
        }
      </Answer>
    </Section>
  );
}

function Timeline({ windows }: { windows: readonly FleetWindow[] }) {
  const from = useNow(60_000);
  const to = from + 24 * HOUR_MS;
  const rows = windowRows(windows, from, to);
  if (rows.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No table has quiet hours or a blackout in the next 24 hours. Set them in a policy: <code>quiet_hours</code>.
      </Text>
    );
  }
  return (
    <div className="timeline">
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
          <TimelineRow key={row.tables[0]} row={row} from={from} to={to} />
        ))}
      </ul>
      {rows.length > SHOWN_ROWS && <Text size="xs" c="dimmed">{count(rows.length - SHOWN_ROWS)} more combinations of windows are not drawn.</Text>}
    </div>
  );
}

function TimelineRow({ row, from, to }: { row: WindowRow; from: number; to: number }) {
  const name = row.tables.length === 1 ? row.tables[0]! : counted(row.tables.length, "table");
  const texts = row.spans.map((span) => `${NAMES[span.kind] ?? span.kind} from ${localTime(span.from)} to ${localTime(span.to)}`);
  return (
    <li>
      <span className="cut" title={row.tables.slice(0, 20).join("\n")}>
        {name}
      </span>
      <div className="timeline-bar" role="img" aria-label={`${name.slice(0, 120)}: ${texts.join("; ")}`} title={texts.join("\n")}>
        {row.spans.map((span) => (
          <span
            key={`${span.kind}${span.from}`}
            className={`timeline-span timeline-${span.kind === "blackout" ? "blackout" : "quiet"}`}
            style={{ left: `${((span.from - from) / (to - from)) * 100}%`, width: `${((span.to - span.from) / (to - from)) * 100}%` }}
          >
            {span.kind === "blackout" ? "blackout" : "quiet"}
          </span>
        ))}
      </div>
    </li>
  );
}
