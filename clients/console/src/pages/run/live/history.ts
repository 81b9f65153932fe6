/**
 * States of a run over time, folded from its events: spans, the time of each state, attempts.
 *
 * Events may come twice (a stream that is resumed) and are then counted once. The number of kept spans, attempts and events is
 * bounded; the totals always include all.
 */
import type { Schemas } from "../../../api/client";
import { type RunState, TERMINAL } from "../../../api/runStates";

export type RunEvent = Schemas["RunEvent"];

/** A time that the run spent in one state without a change of what it waited for. */
export interface Span {
  readonly state: RunState;
  readonly attempt: number;
  /** In ms since the epoch. */
  readonly from: number;
  /** Null while the run is in it. */
  readonly to: number | null;
  /** What a queued run waited for: a value of `waiting_for`, or `worker`. */
  readonly cause: string | null;
}

export interface AttemptSpan {
  readonly number: number;
  readonly from: number;
  readonly to: number | null;
  /** Code of the reason for which it ended; null if there was none. */
  readonly reason: string | null;
  /** State in which it left the run. */
  readonly left: RunState | null;
  /** Time in ms in each of its states, as far as they ended. */
  readonly ms: Readonly<Partial<Record<RunState, number>>>;
}

export interface StateTotal {
  readonly visits: number;
  /** Time in ms of the visits that ended. */
  readonly ms: number;
}

export interface History {
  readonly state: RunState | null;
  /** Instant at which the run entered its state. */
  readonly since: number | null;
  readonly totals: Readonly<Partial<Record<RunState, StateTotal>>>;
  readonly spans: readonly Span[];
  readonly attempts: readonly AttemptSpan[];
  /** Newest first. */
  readonly events: readonly RunEvent[];
  /** Events that are not kept any more. */
  readonly eventsDropped: number;
  /** Sequence of the newest event; 0 without one. */
  readonly sequence: number;
  /** How often groups were planned; they change with it. */
  readonly plans: number;
}

export const KEPT_EVENTS = 5_000;
const KEPT_SPANS = 600;
const KEPT_ATTEMPTS = 200;
const SLACK = 500; // cut in steps, so that an event costs no copy of all

const WAIT_KINDS: ReadonlySet<string> = new Set(["held_back", "let_go"]);

/** Takes events in order and returns the history as a frozen view. */
export class HistoryFold {
  #sequence = 0;
  #plans = 0;
  #spans: Span[] = [];
  #attempts: AttemptSpan[] = [];
  #totals: Partial<Record<RunState, StateTotal>> = {};
  #events: RunEvent[] = [];
  #dropped = 0;

  constructor(private readonly kept: number = KEPT_EVENTS) {}

  get sequence(): number {
    return this.#sequence;
  }

  /** Add an event. Return false if it was seen before. */
  add(event: RunEvent): boolean {
    if (event.sequence <= this.#sequence) return false;
    this.#sequence = event.sequence;
    this.#keep(event);
    if (event.to_state !== null) this.#enter(event.to_state, event);
    else if (WAIT_KINDS.has(event.kind) && this.#spans.at(-1)?.state === "queued") this.#wait(event);
    return true;
  }

  view(): History {
    const last = this.#spans.at(-1);
    const entered = this.#spans.findLast((span, index) => this.#spans[index - 1]?.state !== span.state);
    return {
      state: last?.state ?? null,
      since: entered?.from ?? null,
      totals: { ...this.#totals },
      spans: this.#spans.slice(-KEPT_SPANS),
      attempts: this.#attempts.slice(-KEPT_ATTEMPTS),
      events: this.#events.slice(-this.kept).reverse(),
      eventsDropped: this.#dropped + Math.max(0, this.#events.length - this.kept),
      sequence: this.#sequence,
      plans: this.#plans,
    };
  }

  #keep(event: RunEvent): void {
    this.#events.push(event);
    if (this.#events.length < this.kept + SLACK) return;
    this.#dropped += this.#events.length - this.kept;
    this.#events = this.#events.slice(-this.kept);
  }

  #enter(state: RunState, event: RunEvent): void {
    const at = Date.parse(event.at);
    this.#close(at);
    const total = this.#totals[state] ?? { visits: 0, ms: 0 };
    this.#totals[state] = { ...total, visits: total.visits + 1 };
    if (state === "planning") this.#attempts.push(opened(event.attempt, at));
    else if (state === "queued" || TERMINAL.has(state)) this.#endAttempt(at, event);
    if (state === "rewriting" && event.from_state === "planning") this.#plans += 1;
    this.#open({ state, attempt: event.attempt, from: at, to: null, cause: state === "queued" ? causeOf(event) : null });
  }

  #wait(event: RunEvent): void {
    const at = Date.parse(event.at);
    this.#close(at);
    this.#open({ state: "queued", attempt: event.attempt, from: at, to: null, cause: causeOf(event) });
  }

  #open(span: Span): void {
    this.#spans.push(span);
    if (this.#spans.length >= KEPT_SPANS + SLACK) this.#spans = this.#spans.slice(-KEPT_SPANS);
  }

  #close(at: number): void {
    const last = this.#spans.at(-1);
    if (last === undefined || last.to !== null) return;
    this.#spans[this.#spans.length - 1] = { ...last, to: at };
    const ms = Math.max(0, at - last.from);
    const total = this.#totals[last.state] ?? { visits: 1, ms: 0 };
    this.#totals[last.state] = { ...total, ms: total.ms + ms };
    const attempt = this.#attempts.at(-1);
    if (attempt === undefined || attempt.to !== null || last.state === "queued") return;
    const spent = { ...attempt.ms, [last.state]: (attempt.ms[last.state] ?? 0) + ms };
    this.#attempts[this.#attempts.length - 1] = { ...attempt, ms: spent };
  }

  #endAttempt(at: number, event: RunEvent): void {
    const last = this.#attempts.at(-1);
    if (last === undefined || last.to !== null) return;
    const ended = { ...last, to: at, reason: event.reason, left: event.to_state };
    this.#attempts[this.#attempts.length - 1] = ended;
    if (this.#attempts.length >= KEPT_ATTEMPTS + SLACK) this.#attempts = this.#attempts.slice(-KEPT_ATTEMPTS);
  }
}

/** Return the time in ms that the run spent in a state until `nowMs`, its present visit included. */
export function timeIn(history: History, state: RunState, nowMs: number): number {
  const ended = history.totals[state]?.ms ?? 0;
  const open = history.spans.at(-1);
  const present = open?.state === state && open.to === null && !TERMINAL.has(state) ? Math.max(0, nowMs - open.from) : 0;
  return ended + present;
}

function opened(number: number, from: number): AttemptSpan {
  return { number, from, to: null, reason: null, left: null, ms: {} };
}

function causeOf(event: RunEvent): string {
  const cause = event.details["waiting_for"];
  return typeof cause === "string" ? cause : "worker";
}
