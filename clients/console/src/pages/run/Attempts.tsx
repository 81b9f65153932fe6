/** Attempts of a run with the time of each state, and the causes of its waits. */
import { Text } from "@mantine/core";
import type { Schemas } from "../../api/client";
import { duration, localTime, utcTime } from "../../format/times";
import type { AttemptSpan, History } from "./live/history";
import { STATES_AT_WORK } from "./StateMachine";
import { plain, reasonText, waitText } from "./words";

const SHOWN = 50;

export function Attempts({ history }: { history: History }) {
  const { attempts } = history;
  if (attempts.length === 0) return <Text c="dimmed">No attempt yet: the run has not started.</Text>;
  return (
    <div className="rows attempts" tabIndex={0} role="region" aria-label="Table of attempts">
      <table>
        <thead>
          <tr>
            <th scope="col">Attempt</th>
            <th scope="col">Started</th>
            {STATES_AT_WORK.map((state) => (
              <th key={state} scope="col" className="right">
                {state}
              </th>
            ))}
            <th scope="col">Ended</th>
          </tr>
        </thead>
        <tbody>
          {attempts.slice(-SHOWN).reverse().map((attempt) => (
            <AttemptRow key={attempt.number} attempt={attempt} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function AttemptRow({ attempt }: { attempt: AttemptSpan }) {
  const end = attempt.to === null ? "at work" : `${plain(attempt.left ?? "")}: ${reasonText(attempt.reason ?? "no reason given")}`;
  return (
    <tr>
      <th scope="row">{attempt.number}</th>
      <td title={utcTime(attempt.from)}>{localTime(attempt.from)}</td>
      {STATES_AT_WORK.map((state) => (
        <td key={state} className="right">
          {attempt.ms[state] === undefined ? "–" : duration(attempt.ms[state] / 1000)}
        </td>
      ))}
      <td title={end}>{end}</td>
    </tr>
  );
}

/** How the time of a run was spent: at work, and waiting by cause. */
export function TimeSplit({ time }: { time: Schemas["RunTime"] }) {
  const whole = Math.max(time.total_seconds, 0.001);
  const parts = [
    { name: "At work", seconds: time.working_seconds, className: "axis-rewriting" },
    ...Object.entries(time.waiting).map(([cause, seconds]) => ({
      name: `Waiting: ${waitText(cause)[0].toLowerCase()}`,
      seconds,
      className: "axis-queued",
    })),
  ];
  return (
    <table className="plain-table">
      <caption className="visually-hidden">Time of the run by what it was spent on</caption>
      <tbody>
        {parts.map(({ name, seconds, className }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td className="right">{duration(seconds)}</td>
            <td className="bar-cell" aria-hidden="true">
              <span className={`bar ${className}`} style={{ width: `${(seconds / whole) * 100}%` }} />
            </td>
          </tr>
        ))}
        <tr>
          <th scope="row">Total</th>
          <td className="right">{duration(time.total_seconds)}</td>
          <td />
        </tr>
      </tbody>
    </table>
  );
}
