/** Values of settings as text for people. */
import { bytes, rate } from "../../../format/sizes";
import type { Kind } from "./schema";
import { writeSize } from "./units";
import { itemText, objectText } from "./words";

/** Return a value of a setting as text: `128 MiB`, `binpack`, `true`; lists and objects in words. */
export function shown(value: unknown, kinds: readonly Kind[] = []): string {
  if (value === null || value === undefined) return "not set";
  if (typeof value === "boolean") return String(value);
  if (typeof value === "number") {
    if (kinds.includes("rate")) return exact(value, rate(value), "/s");
    return kinds.includes("size") ? exact(value, bytes(value), "") : String(value);
  }
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.map(itemText).join("; ");
  return objectText(value as object);
}

function exact(value: number, rounded: string, unit: string): string {
  const written = writeSize(value);
  return typeof written === "string" ? written.replace(/([kKMGT]i?B)$/, " $1") + unit : rounded;
}
