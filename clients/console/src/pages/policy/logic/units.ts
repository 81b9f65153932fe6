/** Sizes, rates and durations as policies write them, as numbers and back. */
const SIZE = /^\s*(\d{1,19}(?:\.\d{1,9})?)\s*(B|[kKMGT]B|[KMGT]iB)?\s*$/;
const RATE = /^\s*(\d{1,19}(?:\.\d{1,9})?)\s*(?:((?:B|[kKMGT]B|[KMGT]iB))?(?:\/s)?|([kKMGT]?)(?:bit\/s|bps))\s*$/;
const DURATION = /^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/;
const SECONDS = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;
const POWERS: Readonly<Record<string, number>> = { k: 1, K: 1, M: 2, G: 3, T: 4 };

/** Return a size in bytes: `128MiB`, `500 MB`, `1024`; null if it is none. */
export function readSize(text: string): number | null {
  const found = SIZE.exec(text);
  return found === null ? null : scaled(found[1]!, found[2] ?? "B");
}

/** Return a rate in bytes per second: `50MB/s`, `50MB`, `400Mbit/s`; null if it is none. */
export function readRate(text: string): number | null {
  const found = RATE.exec(text);
  if (found === null) return null;
  if (/bit\/s|bps/.test(text)) return Math.floor((Number(found[1]) * 1000 ** (POWERS[found[3] ?? ""] ?? 0)) / 8);
  return scaled(found[1]!, found[2] ?? "B");
}

function scaled(figure: string, unit: string): number {
  const base = unit.endsWith("iB") ? 1024 : 1000;
  return Math.round(Number(figure) * base ** (POWERS[unit[0]!] ?? 0));
}

/** Return a duration in seconds: `6h`, `PT6H`; null if it is none. */
export function readDuration(text: string): number | null {
  const short = /^(\d{1,9})([smhd])$/.exec(text);
  if (short !== null) return Number(short[1]) * SECONDS[short[2] as keyof typeof SECONDS];
  const iso = DURATION.exec(text);
  if (iso === null || text.length < 3) return null;
  const [weeks, days, hours, minutes, seconds] = iso.slice(1).map((part) => Number(part ?? 0));
  return weeks! * 604_800 + days! * 86_400 + hours! * 3_600 + minutes! * 60 + seconds!;
}

const WRITTEN: readonly (readonly [string, number])[] = [
  ["TiB", 1024 ** 4],
  ["TB", 1e12],
  ["GiB", 1024 ** 3],
  ["GB", 1e9],
  ["MiB", 1024 ** 2],
  ["MB", 1e6],
  ["KiB", 1024],
  ["kB", 1e3],
];

/** Return a number of bytes in the largest unit that it is a whole multiple of: `128MiB`; the number if there is none. */
export function writeSize(value: number): string | number {
  const found = WRITTEN.find(([, step]) => value >= step && value % step === 0);
  return found === undefined ? value : `${value / found[1]}${found[0]}`;
}
