/** Bytes, rates, counts and shares as text. Sizes use binary units with their names (MiB), as the API's errors do. */
const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB"] as const;
const GROUPED = new Intl.NumberFormat("en");

export function count(value: number | null | undefined): string {
  return value === null || value === undefined ? "–" : GROUPED.format(value);
}

/** Return a size with three significant digits: `1.50 GiB`. */
export function bytes(value: number | null | undefined): string {
  if (value === null || value === undefined) return "–";
  let [size, unit] = [Math.abs(value), 0];
  while (size >= 1023.5 && unit < UNITS.length - 1) [size, unit] = [size / 1024, unit + 1];
  const sign = value < 0 ? "−" : "";
  if (unit === 0) return `${sign}${GROUPED.format(Math.round(size))} ${size === 1 ? "byte" : "bytes"}`;
  return `${sign}${size.toFixed(size < 9.995 ? 2 : size < 99.95 ? 1 : 0)} ${UNITS[unit]}`;
}

export function rate(bytesPerSecond: number | null | undefined): string {
  return bytesPerSecond === null || bytesPerSecond === undefined ? "–" : `${bytes(bytesPerSecond)}/s`;
}

export function share(ratio: number | null | undefined): string {
  if (ratio === null || ratio === undefined) return "–";
  const percent = ratio * 100;
  return `${percent.toFixed(percent !== 0 && Math.abs(percent) < 9.95 ? 1 : 0)} %`;
}

/** `1 file`, `2 files`. */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${GROUPED.format(value)} ${value === 1 ? one : many}`;
}
