// Generated from openapi.yaml by clients/typescript/generate.mjs; do not edit.
/** Paths whose POST takes an `Idempotency-Key`. */
export const KEYED_POSTS: ReadonlySet<string> = new Set([
  "/v1/catalogs",
  "/v1/tables",
  "/v1/signals",
  "/v1/policies",
  "/v1/runs"
]);
