/** The change of labels as a JSON merge patch. */

/** Return labels to set, and null for each that is removed; labels that stay as they are are left out. */
export function labelPatch(before: Readonly<Record<string, string>>, after: Readonly<Record<string, string>>): Record<string, string | null> {
  const removed = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  const changed = Object.entries(after).filter(([key, value]) => before[key] !== value);
  return Object.fromEntries([...removed.map((key): [string, null] => [key, null]), ...changed]);
}
