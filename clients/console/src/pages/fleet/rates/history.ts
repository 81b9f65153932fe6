/** Hours or days of the fleet's history, and the series that are drawn from them. */
import type { Schemas } from "../../../api/client";
import { bytes, count, share } from "../../../format/sizes";
import type { Series } from "../../../parts/TimeChart";

export type FleetHistory = Schemas["FleetHistory"];
type FleetInterval = Schemas["FleetInterval"];
type Format = (value: number | null | undefined) => string;
export interface HistoryView {
  readonly label: string;
  /** What the chart shows, in a sentence. */
  readonly about: string;
  readonly format: (step: FleetHistory["step"]) => Format;
  readonly series: (items: readonly FleetInterval[]) => Series[];
}

const files: Format = (value) => (value === null || value === undefined ? "–" : count(Math.round(value)));
const UNITS = { "1h": "/h", "1d": "/day" } as const;
const per = (format: Format): HistoryView["format"] => (step) => (value) => (value === null || value === undefined ? "–" : `${format(value)}${UNITS[step]}`);

export const VIEWS = {
  files: {
    label: "Small files",
    about: "Small files that writers made, and that rewrites and other writers removed",
    format: per(files),
    series: (items) => [
      { label: "made", values: items.map((item) => item.small_files_made), color: 1, steps: true },
      { label: "removed", values: items.map((item) => item.small_files_removed), color: 2, steps: true },
    ],
  },
  backlog: {
    label: "Backlog",
    about: "Small files, and those of them that rewriting would save",
    format: () => files,
    series: (items) => [
      { label: "files to save", values: items.map(({ backlog }) => backlog?.avoidable_file_count ?? null), color: 0, fill: true },
      { label: "small files", values: items.map(({ backlog }) => backlog?.small_file_count ?? null), color: 3 },
    ],
  },
  bytes: {
    label: "Bytes",
    about: "Bytes that rewrites replaced, and bytes that they wrote and dropped again",
    format: per(bytes),
    series: (items) => [
      { label: "rewritten", values: items.map((item) => item.rewritten_bytes), color: 0, steps: true },
      { label: "wasted", values: items.map((item) => item.wasted_bytes), color: 1, steps: true },
    ],
  },
  conflicts: {
    label: "Conflicts",
    about: "Share of file groups that were lost to other writers",
    format: () => share,
    series: (items) => [{ label: "conflict rate", values: items.map((item) => item.conflict_rate), color: 1, steps: true }],
  },
} as const satisfies Readonly<Record<string, HistoryView>>;

export type ViewName = keyof typeof VIEWS;
export const isView = (text: string): text is ViewName => Object.hasOwn(VIEWS, text);

/** The lengths of time that can be shown, with the interval that fits each. */
export const SPANS = {
  "1": { label: "24 hours", step: "1h" },
  "7": { label: "7 days", step: "1h" },
  "31": { label: "31 days", step: "1d" },
} as const;
export type SpanDays = keyof typeof SPANS;
export const isSpan = (text: string): text is SpanDays => Object.hasOwn(SPANS, text);
