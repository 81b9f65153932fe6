/**
 * A run as it happens: its events folded, its rate over time, states of its groups, and whether the page is up to date.
 *
 * The SDK resumes streams after the last event and polls where streams don't get through; it gives up when the server is away
 * for long. This goes on until the run has ended or the view is closed. Changes are announced at most four times a second.
 */
import { ConnectionError, createClient, type Progress, RateLimitedError, type RunSignal, UnavailableError } from "@packhouse/client";
import { now } from "../../../api/connection";
import { sessions } from "../../../api/session";
import { type GroupNews, newsOf } from "../groups/groups";
import { type History, HistoryFold } from "./history";
import { streamFetch } from "./liveFetch";
import { type Rates, RateRing } from "./ring";

export type Following = "connecting" | "stream" | "polling" | "interrupted" | "ended" | "refused";

export interface LiveView {
  readonly following: Following;
  /** Instant of the viewer's clock since which nothing came; null unless interrupted. */
  readonly interruptedAt: number | null;
  readonly history: History;
  readonly progress: Progress | null;
  readonly rates: Rates;
  readonly news: ReadonlyMap<number, GroupNews>;
}

type Follow = (after: number, signal: AbortSignal) => AsyncIterable<RunSignal>;

const FLUSH_MS = 250;
const SILENCE_MS = 20_000; // the server sends a sign of life every 15 s
const POLLING_MS = 30_000; // then a stream is tried again
const AGAIN_MS = 2_000;

export class RunLive {
  readonly #listeners = new Set<() => void>();
  readonly #fold = new HistoryFold();
  readonly #ring = new RateRing();
  readonly #follow: Follow;
  readonly #news = new Map<number, GroupNews>();
  #progress: Progress | null = null;
  #following: Following = "connecting";
  #interruptedAt: number | null = null;
  #pollingSince: number | null = null;
  #aliveAt = Date.now();
  #view: LiveView;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #part = new AbortController();

  /** `follow` is that of the SDK unless a test gives another. */
  constructor(runId: string, follow?: Follow) {
    this.#follow = follow ?? this.#sdk(runId);
    this.#view = this.#snapshot();
  }

  get = (): LiveView => this.#view;

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Follow the run until it has ended, the server refuses, or `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    signal.addEventListener("abort", () => this.#part.abort(signal.reason), { once: true });
    while (!signal.aborted) {
      this.#part = new AbortController();
      this.#pollingSince = null;
      try {
        for await (const one of this.#follow(this.#fold.sequence, this.#part.signal)) this.#take(one);
        return this.#set("ended");
      } catch (error) {
        if (signal.aborted) return;
        if (this.#part.signal.aborted) continue; // polled for long enough: try a stream
        if (!isPassing(error)) return this.#set("refused");
        this.interrupt();
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      }
    }
  }

  /** Note that nothing comes any more, since the last sign of life. */
  interrupt(): void {
    if (this.#following === "ended" || this.#following === "interrupted") return;
    this.#interruptedAt = this.#aliveAt;
    this.#following = "interrupted";
    this.#announce();
  }

  #sdk(runId: string): Follow {
    const client = createClient({
      baseUrl: globalThis.location.origin,
      apiKey: () => sessions.get().session?.token ?? "",
      fetch: streamFetch({
        opened: () => this.#alive("stream"),
        alive: () => this.#alive("stream"),
        closed: () => this.interrupt(),
        polled: () => this.#polled(),
      }),
      retries: { attempts: 2, longestDelayMs: 5_000 },
    });
    return (afterSequence, signal) => client.follow(runId, { afterSequence, signal, silenceMs: SILENCE_MS });
  }

  #polled(): void {
    this.#pollingSince ??= Date.now();
    this.#alive("polling");
    if (Date.now() - this.#pollingSince > POLLING_MS) this.#part.abort();
  }

  #alive(following: Following): void {
    this.#aliveAt = Date.now();
    this.#set(following);
  }

  #take(signal: RunSignal): void {
    if (signal.kind === "progress") {
      this.#progress = signal.progress;
      this.#ring.push(now(), signal.progress.bytes_per_second, signal.progress.budget_bytes_per_second);
    } else if (this.#fold.add(signal.event)) {
      if (signal.event.to_state === "planning") this.#news.clear(); // what is not committed is planned again
      for (const [ordinal, news] of newsOf(signal.event)) this.#news.set(ordinal, news);
    }
    this.#announce();
  }

  #set(following: Following): void {
    if (this.#following === following || this.#following === "ended") return;
    this.#following = following;
    this.#interruptedAt = null;
    this.#announce();
  }

  #announce(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#view = this.#snapshot();
      for (const listener of this.#listeners) listener();
    }, FLUSH_MS);
  }

  #snapshot(): LiveView {
    const before = this.#view as LiveView | undefined;
    const isSame = before?.history.sequence === this.#fold.sequence;
    return {
      following: this.#following,
      interruptedAt: this.#interruptedAt,
      history: isSame && before !== undefined ? before.history : this.#fold.view(),
      progress: this.#progress,
      rates: this.#progress === before?.progress && before !== undefined ? before.rates : this.#ring.points(),
      news: isSame && before !== undefined ? before.news : new Map(this.#news),
    };
  }
}

function isPassing(error: unknown): boolean {
  return error instanceof ConnectionError || error instanceof UnavailableError || error instanceof RateLimitedError;
}
