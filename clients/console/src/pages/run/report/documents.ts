/** Typed reads of the documents of a run (`request`, `plan`, `result`), which the API describes as free objects. */
type Document = Readonly<Record<string, unknown>>;

export interface Check {
  readonly name: string;
  readonly holds: boolean;
  readonly detail: string;
}

export interface Proof {
  readonly snapshotId: string | null;
  readonly ok: boolean;
  readonly takenBack: boolean;
  readonly checks: readonly Check[];
}

export function isObject(value: unknown): value is Document {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function objectAt(document: Document, name: string): Document | null {
  const found = document[name];
  return isObject(found) && Object.keys(found).length > 0 ? found : null;
}

export function numberAt(document: Document | null, name: string): number | null {
  const found = document?.[name];
  return typeof found === "number" ? found : null;
}

export function textAt(document: Document | null, name: string): string | null {
  const found = document?.[name];
  return typeof found === "string" && found !== "" ? found : null;
}

export function listAt(document: Document, name: string): readonly unknown[] {
  const found = document[name];
  return Array.isArray(found) ? found : [];
}

/** Return the proofs of a run's result, oldest first. */
export function proofsOf(result: Document): readonly Proof[] {
  return listAt(result, "verifications")
    .filter(isObject)
    .map((proof) => ({
      snapshotId: textAt(proof, "snapshot_id"),
      ok: proof["ok"] === true,
      takenBack: proof["taken_back"] === true,
      checks: listAt(proof, "checks").filter(isObject).map((check) => ({
        name: textAt(check, "name") ?? "unnamed",
        holds: check["holds"] === true,
        detail: textAt(check, "detail") ?? "",
      })),
    }));
}

export interface Comparison {
  readonly name: string;
  readonly kind: "count" | "bytes" | "seconds";
  readonly from: number | null;
  readonly to: number | null;
}

/** Return what the run changed, before and after: files, bytes and average size of a rewrite, manifests, read times. */
export function changesOf(result: Document): readonly Comparison[] {
  const files = [numberAt(result, "rewritten_files"), numberAt(result, "added_files")] as const;
  const sizes = [numberAt(result, "rewritten_bytes"), numberAt(result, "added_bytes")] as const;
  const manifests = objectAt(result, "manifests");
  const reading = objectAt(result, "manifest_read_seconds");
  const found: Comparison[] = [
    { name: "Files", kind: "count", from: files[0], to: files[1] },
    { name: "Bytes", kind: "bytes", from: sizes[0], to: sizes[1] },
    { name: "Average file", kind: "bytes", from: average(sizes[0], files[0]), to: average(sizes[1], files[1]) },
    { name: "Manifests", kind: "count", from: numberAt(manifests, "before"), to: numberAt(manifests, "after") },
    {
      name: "Bytes of rewritten manifests",
      kind: "bytes",
      from: numberAt(result, "rewritten_manifest_bytes"),
      to: numberAt(result, "added_manifest_bytes"),
    },
    { name: "Time to read the manifests", kind: "seconds", from: numberAt(reading, "before"), to: numberAt(reading, "after") },
  ];
  return found.filter(({ from, to }) => from !== null && to !== null && (from !== 0 || to !== 0));
}

/** Return the predicted figures (`from`) and the measured ones (`to`). */
export function predictionsOf(result: Document, plan: Document): readonly Comparison[] {
  const predicted = objectAt(result, "predicted") ?? objectAt(plan, "prediction");
  const actual = objectAt(result, "actual");
  const reclaimed = objectAt(result, "reclaimed") ?? {};
  const [planned, deleted] = [objectAt(reclaimed, "predicted"), objectAt(reclaimed, "actual")];
  const rows: Comparison[] = [
    { name: "Files written", kind: "count", from: numberAt(predicted, "output_files"), to: numberAt(actual, "output_files") },
    { name: "Bytes written", kind: "bytes", from: numberAt(predicted, "output_bytes"), to: numberAt(actual, "output_bytes") },
    { name: "Time", kind: "seconds", from: numberAt(predicted, "seconds"), to: numberAt(actual, "seconds") },
    { name: "Files deleted", kind: "count", from: numberAt(planned, "files"), to: numberAt(deleted, "files") },
    { name: "Bytes deleted", kind: "bytes", from: numberAt(planned, "bytes"), to: numberAt(deleted, "bytes") },
  ];
  return rows.filter(({ from, to }) => from !== null && to !== null);
}

function average(total: number | null, files: number | null): number | null {
  return total === null || files === null || files === 0 ? null : total / files;
}
