/** Partitions as people read them: `day=2026-11-02, region=eu`. */

/** Return the canonical JSON of a partition as text; a text that is no such JSON is returned as it is. */
export function partitionText(json: string): string {
  try {
    const values: unknown = JSON.parse(json);
    if (values === null || typeof values !== "object") return json;
    const parts = Object.entries(values).map(([field, value]) => `${field}=${typeof value === "object" ? JSON.stringify(value) : String(value)}`);
    return parts.length === 0 ? "whole table" : parts.join(", ");
  } catch {
    return json;
  }
}
