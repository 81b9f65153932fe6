/** The pages of the navigation, each with the letter that follows `g`. */
export const PLACES = [
  { to: "/fleet", label: "Fleet", key: "f", about: "All tables together: backlog, rates, limits" },
  { to: "/tables", label: "Tables", key: "t", about: "Search, register, discover" },
  { to: "/runs", label: "Runs", key: "r", about: "History and what runs now" },
  { to: "/deletions", label: "Deletions", key: "d", about: "What will be deleted and when, undo, and what was" },
  { to: "/policies", label: "Policies", key: "p", about: "Settings of wider scopes than a table" },
  { to: "/catalogs", label: "Catalogs", key: "c", about: "Connections and their checks" },
  { to: "/signals", label: "Signals", key: "s", about: "Commits, latency and back-pressure that were reported" },
  { to: "/keys", label: "Keys", key: "k", about: "API keys and roles" },
  { to: "/audit", label: "Audit", key: "a", about: "Who changed what" },
  { to: "/system", label: "System", key: "y", about: "What of Packhouse and its dependencies works" },
  { to: "/formats", label: "Formats", key: "m", about: "What each table format supports" },
] as const;
