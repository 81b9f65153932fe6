/** The states of a run as a drawing: the way through them, the time in each, how often, and all of it on a time axis. */
import { Text } from "@mantine/core";
import { counted } from "../../format/sizes";
import { duration, localTime } from "../../format/times";
import { useNow } from "../../parts/Time";
import { type RunState, TERMINAL } from "../../api/runStates";
import { type History, type Span, timeIn } from "./live/history";
import { reasonText, waitText } from "./words";

const WAY = ["queued", "planning", "rewriting", "committing"] as const;
const MEANING: Readonly<Record<(typeof WAY)[number], string>> = {
  queued: "waits to start",
  planning: "chooses the files",
  rewriting: "does the work",
  committing: "changes the table and verifies",
};

export function StateMachine({ history, reason }: { history: History; reason: string | null }) {
  const nowMs = useNow(1_000);
  const state = history.state;
  const end = state !== null && TERMINAL.has(state) ? state : null;
  return (
    <>
      <ol className="machine" aria-label="States of the run">
        {WAY.map((each) => (
          <Step key={each} name={each} isNow={state === each} visits={history.totals[each]?.visits ?? 0}>
            {duration(timeIn(history, each, nowMs) / 1000)}
            <span className="machine-hint">{MEANING[each]}</span>
          </Step>
        ))}
        <Step name={end ?? "ended"} isNow={end !== null} visits={end === null ? 0 : 1}>
          {end !== null && history.since !== null ? localTime(history.since) : "–"}
          <span className="machine-hint">{end === null ? "not yet" : reason === null ? "" : reasonText(reason)}</span>
        </Step>
      </ol>
      <Axis spans={history.spans} nowMs={nowMs} />
    </>
  );
}

function Step({
  name,
  isNow,
  visits,
  children,
}: {
  name: string;
  isNow: boolean;
  visits: number;
  children: React.ReactNode;
}) {
  const look = visits === 0 ? "machine-none" : `machine-${name}`;
  return (
    <li className={`machine-step ${look}`} aria-current={isNow ? "step" : undefined}>
      <span className="machine-name">
        {name}
        {isNow && name in MEANING && " (now)"}
      </span>
      <span className="machine-time">{visits === 0 ? "–" : children}</span>
      {visits > 1 && <span className="machine-hint">{counted(visits, "time")}</span>}
    </li>
  );
}

/** All spans in proportion to their length. */
function Axis({ spans, nowMs }: { spans: readonly Span[]; nowMs: number }) {
  const first = spans[0];
  if (first === undefined) return null;
  const shown = spans.filter(({ state }) => !TERMINAL.has(state));
  const end = shown.at(-1)?.to ?? nowMs;
  const whole = Math.max(1, end - first.from);
  return (
    <div className="axis-box">
      <div className="axis" role="img" aria-label={`Time axis of ${duration(whole / 1000)}; the table of attempts has the figures`}>
        {shown.map((span, index) => {
          const to = span.to ?? nowMs;
          return (
            <span
              key={`${span.from} ${index}`}
              className={`axis-span axis-${span.state}`}
              title={spanText(span, to)}
              style={{ flexGrow: Math.max(0, to - span.from) / whole }}
            />
          );
        })}
      </div>
      <div className="axis-ends">
        <Text size="xs" c="dimmed">
          {localTime(first.from)}
        </Text>
        <Text size="xs" c="dimmed">
          {localTime(end)}
        </Text>
      </div>
    </div>
  );
}

function spanText({ state, attempt, from, cause }: Span, to: number): string {
  const wait = cause === null ? "" : `, waits for: ${waitText(cause)[0].toLowerCase()}`;
  return `${state}${wait}, attempt ${attempt}, ${localTime(from)}, ${duration((to - from) / 1000)}`;
}

/** Order in which states are drawn and listed. */
export const STATES_AT_WORK: readonly RunState[] = ["planning", "rewriting", "committing"];
