/**
 * A run's events as they happen, over Server-Sent Events read with fetch.
 *
 * A stream that breaks, falls silent or moves to another replica is resumed after the last event that was seen, so each
 * event comes once. Where streams are refused or don't get through, events are polled instead; nothing is lost by it,
 * only progress between events comes more slowly.
 */
import type { Packhouse } from "./client.js";
import { ApiError, ConnectionError, PackhouseError, RateLimitedError, UnavailableError } from "./errors.js";
import { type Frame, readFrames } from "./frames.js";
import type { components } from "./generated/schema.js";
import { sleep } from "./time.js";

export type RunEvent = components["schemas"]["RunEvent"];
export type Progress = components["schemas"]["Progress"];
/** What a running run tells: an entry of its log, or how far it is. */
export type RunSignal =
  | { readonly kind: "event"; readonly event: RunEvent }
  | { readonly kind: "progress"; readonly progress: Progress };

export interface FollowOptions {
  /** Begin after this `sequence`; 0 or left out begins at the first event. */
  readonly afterSequence?: number;
  /** Wait between looks when events are polled, and before a stream is resumed; 1 s if left out. */
  readonly pollMs?: number;
  /** A stream without any sign of life for so long is resumed; 45 s if left out (the server sends one every 15 s). */
  readonly silenceMs?: number;
  readonly signal?: AbortSignal;
}

const BROKEN_STREAMS_BEFORE_POLLING = 3;

/** Yield a run's signals until it has ended. Throws `NotFoundError`, `UnauthenticatedError` and their like. */
export async function* followRun(
  client: Packhouse,
  runId: string,
  options: FollowOptions,
): AsyncGenerator<RunSignal, void, undefined> {
  const pollMs = options.pollMs ?? 1000;
  let after = options.afterSequence ?? 0;
  for (let broken = 0; broken < BROKEN_STREAMS_BEFORE_POLLING; ) {
    const seen = after;
    try {
      for await (const signal of streamOnce(client, runId, after, options)) {
        if (signal.kind === "event") after = signal.event.sequence;
        yield signal;
      }
      if (await hasEnded(client, runId, after, options.signal)) return;
    } catch (error) {
      options.signal?.throwIfAborted();
      if (!isPassing(error)) throw error;
      if (refusesStreams(error)) break;
    }
    broken = after > seen ? 0 : broken + 1;
    await sleep(pollMs, options.signal);
  }
  yield* poll(client, runId, after, pollMs, options.signal);
}

/** Yield the signals of one stream until it closes. */
async function* streamOnce(
  client: Packhouse,
  runId: string,
  after: number,
  options: FollowOptions,
): AsyncGenerator<RunSignal, void, undefined> {
  const silence = new Silence(options.silenceMs ?? 45_000, options.signal);
  try {
    const { data, response } = await client.http.GET("/v1/runs/{run_id}/events", {
      params: { path: { run_id: runId } },
      headers: { Accept: "text/event-stream", ...(after > 0 ? { "Last-Event-ID": String(after) } : {}) },
      parseAs: "stream",
      signal: silence.signal,
    });
    if (response.status === 204 || !data) return; // ended, and all of it was seen
    for await (const frame of readFrames(data, silence.signal, () => silence.postpone())) {
      const signal = signalOf(frame);
      if (signal !== undefined) yield signal;
    }
  } catch (error) {
    if (error instanceof PackhouseError) throw error;
    throw new ConnectionError(`the event stream of ${runId} broke off`, { cause: error });
  } finally {
    silence.over();
  }
}

async function* poll(
  client: Packhouse,
  runId: string,
  from: number,
  pollMs: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<RunSignal, void, undefined> {
  for (let after = from; ; ) {
    // the run before its events: a run that has ended then has its last event
    const run = await client.get("/v1/runs/{run_id}", { params: { path: { run_id: runId } }, ...withSignal(signal) });
    for await (const event of eventsAfter(client, runId, after, signal)) {
      after = event.sequence;
      yield { kind: "event", event };
    }
    if (run.is_terminal) return;
    yield { kind: "progress", progress: run.progress };
    await sleep(pollMs, signal);
  }
}

async function* eventsAfter(
  client: Packhouse,
  runId: string,
  after: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<RunEvent, void, undefined> {
  const all = client.list("/v1/runs/{run_id}/events", { params: { path: { run_id: runId } }, ...withSignal(signal) });
  for await (const event of all) if (event.sequence > after) yield event;
}

/** A stream that ends early looks like one that is over: the run itself has to say so, and its last event be seen. */
async function hasEnded(
  client: Packhouse,
  runId: string,
  after: number,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const run = await client.get("/v1/runs/{run_id}", { params: { path: { run_id: runId } }, ...withSignal(signal) });
  if (!run.is_terminal) return false;
  for await (const _unseen of eventsAfter(client, runId, after, signal)) return false;
  return true;
}

function signalOf(frame: Frame): RunSignal | undefined {
  if (frame.event === "event") return { kind: "event", event: JSON.parse(frame.data) as RunEvent };
  if (frame.event === "progress") return { kind: "progress", progress: JSON.parse(frame.data) as Progress };
  return undefined; // of a later version
}

function isPassing(error: unknown): boolean {
  return error instanceof ConnectionError || error instanceof UnavailableError || refusesStreams(error);
}

function refusesStreams(error: unknown): boolean {
  return error instanceof RateLimitedError || (error instanceof ApiError && error.status === 406);
}

function withSignal(signal: AbortSignal | undefined): { signal: AbortSignal } | object {
  return signal === undefined ? {} : { signal };
}

/** Aborts when nothing was heard for a time, or when the caller's own signal does. */
class Silence {
  readonly #controller = new AbortController();
  readonly #ms: number;
  readonly #outer: AbortSignal | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(ms: number, outer: AbortSignal | undefined) {
    this.#ms = ms;
    this.#outer = outer;
    outer?.addEventListener("abort", this.#stop, { once: true });
    if (outer?.aborted) this.#stop();
    this.postpone();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  postpone(): void {
    clearTimeout(this.#timer);
    const reason = () => new DOMException(`no sign of life for ${this.#ms} ms`, "TimeoutError");
    this.#timer = setTimeout(() => this.#controller.abort(reason()), this.#ms);
  }

  over(): void {
    clearTimeout(this.#timer);
    this.#outer?.removeEventListener("abort", this.#stop);
  }

  readonly #stop = (): void => this.#controller.abort(this.#outer?.reason);
}
