/**
 * Whether the server answers, and the difference between its clock and the viewer's.
 *
 * Ages and remaining times are computed with `now()`, so that they are right on a machine whose clock is hours off.
 */
export interface Connection {
  /** Time of the viewer's clock at which the first of the unanswered requests failed; null while the server answers. */
  readonly lostAt: number | null;
}

const listeners = new Set<() => void>();
let state: Connection = { lostAt: null };
let offsetMs = 0;
const TOLERATED_MS = 2_000; // `Date` has whole seconds, and the answer takes time

export const connection = {
  get: (): Connection => state,
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

function set(lostAt: number | null): void {
  if (lostAt === state.lostAt) return;
  state = { lostAt };
  for (const listener of listeners) listener();
}

/** Return the server's time in ms since the epoch, as far as its last answer told. */
export function now(): number {
  return Date.now() + offsetMs;
}

/** `fetch` that records whether the server answered and what its clock shows. */
export async function watchedFetch(request: Request): Promise<Response> {
  try {
    const response = await globalThis.fetch(request);
    const date = Date.parse(response.headers.get("date") ?? "");
    if (!Number.isNaN(date)) {
      const difference = date - Date.now();
      offsetMs = Math.abs(difference) > TOLERATED_MS ? difference : 0;
    }
    set([502, 503, 504].includes(response.status) ? (state.lostAt ?? Date.now()) : null);
    return response;
  } catch (error) {
    if (!request.signal.aborted) set(state.lostAt ?? Date.now());
    throw error;
  }
}
