/**
 * The credential of this tab, kept in session storage only: it is gone with the tab and never part of a URL.
 *
 * A token of an identity provider expires; `end` then removes it with the reason, and the sign-in page shows it.
 */
export interface Session {
  readonly token: string;
  /** How the person signed in. */
  readonly kind: "key" | "oidc";
}

export interface SessionState {
  readonly session: Session | null;
  /** Why the last session ended, in a sentence; null after signing out. */
  readonly ended: string | null;
}

const STORED = "packhouse.session";
const listeners = new Set<() => void>();
let state: SessionState = { session: read(), ended: null };

function read(): Session | null {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(STORED) ?? "null");
    if (stored !== null && typeof stored === "object" && "token" in stored && typeof stored.token === "string") {
      return { token: stored.token, kind: "kind" in stored && stored.kind === "oidc" ? "oidc" : "key" };
    }
  } catch {
    // not readable: as without a session
  }
  return null;
}

function set(next: SessionState): void {
  state = next;
  if (next.session === null) sessionStorage.removeItem(STORED);
  else sessionStorage.setItem(STORED, JSON.stringify(next.session));
  for (const listener of listeners) listener();
}

export const sessions = {
  get: (): SessionState => state,
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  begin(session: Session): void {
    set({ session, ended: null });
  },
  /** End the session. Without a reason the person signed out. */
  end(reason: string | null = null): void {
    if (state.session !== null) set({ session: null, ended: reason });
  },
};
