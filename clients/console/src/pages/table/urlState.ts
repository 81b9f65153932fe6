/** The state of the table page in its URL: tab, open dialog, and what each tab shows. */
export const TABLE_STATE = {
  tab: "overview",
  /** The dialog that is open: `run`, `edit` or `unregister`. */
  dialog: "",
  /** Operation of the dialog `run`. */
  operation: "rewrite",
  /** Order of the partitions. */
  sort: "-small_file_count",
  /** Span of the figures over time; empty: all. */
  since: "",
  until: "",
  /** Which settings the tab explain lists: `set` or `all`. */
  settings: "set",
};

export type TableState = typeof TABLE_STATE;
