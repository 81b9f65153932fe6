/** The SDK against a running server with one table of small files: PACKHOUSE_URL, PACKHOUSE_API_KEY, PACKHOUSE_TABLE. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient, InvalidInputError, NotFoundError, PreconditionError, UnauthenticatedError } from "@packhouse/client";
import { collect } from "../unit/samples.js";

function variable(name: string): string {
  const value = process.env[name];
  assert.ok(value, `${name} is not set`);
  return value;
}

const baseUrl = variable("PACKHOUSE_URL");
const packhouse = createClient({ baseUrl, apiKey: variable("PACKHOUSE_API_KEY") });
const path = { table_id: variable("PACKHOUSE_TABLE") };

test("a run is submitted, followed and ended", async () => {
  const accepted = await packhouse.submitRun({ table_id: path.table_id, operation: "rewrite" });
  const seen: number[] = [];
  const ended = await packhouse.waitForRun(accepted.id, { onEvent: ({ sequence }) => seen.push(sequence), timeoutMs: 60_000 });
  assert.equal(ended.state, "succeeded", JSON.stringify(ended));
  const events = await collect(packhouse.list("/v1/runs/{run_id}/events", { params: { path: { run_id: accepted.id } } }));
  assert.deepEqual(seen, events.map(({ sequence }) => sequence));
});

test("a run that has ended is waited for no longer", async () => {
  const [last] = await packhouse.list("/v1/runs", { params: { query: { state: ["succeeded"] } } }).take(1);
  assert.ok(last);
  assert.equal((await packhouse.waitForRun(last.id)).state, "succeeded");
});

test("a list is read over pages", async () => {
  const made = ["ts_one", "ts_two", "ts_three"];
  for (const name of made) {
    const properties = { type: "sql", uri: "env:NONE", warehouse: "file:///none" };
    await packhouse.post("/v1/catalogs", { body: { name, format: "iceberg", properties } });
  }
  const names = await collect(packhouse.list("/v1/catalogs", { params: { query: { page_size: 1 } } }));
  assert.deepEqual(names.map(({ name }) => name).filter((name) => made.includes(name)).sort(), [...made].sort());
});

test("a policy is read back unchanged", async () => {
  const limits = { parallel_groups: 2 };
  const policy = { params: { path, header: { "if-none-match": "*" } }, body: { limits } };
  const { response } = await packhouse.http.PUT("/v1/tables/{table_id}/policy", policy);
  const stale = { params: { path, header: { "if-match": '"999"' } }, body: { limits } };
  await assert.rejects(packhouse.put("/v1/tables/{table_id}/policy", stale), PreconditionError);
  const effective = await packhouse.get("/v1/tables/{table_id}/effective-policy", { params: { path } });
  assert.equal(effective.settings["limits.parallel_groups"]?.value, 2);
  const header = { "if-match": String(response.headers.get("etag")) };
  await packhouse.delete("/v1/tables/{table_id}/policy", { params: { path, header } });
});

test("errors have their types", async () => {
  await assert.rejects(createClient({ baseUrl, apiKey: "pkh_no" }).get("/v1/tables"), UnauthenticatedError);
  await assert.rejects(packhouse.get("/v1/runs/{run_id}", { params: { path: { run_id: "run_no" } } }), NotFoundError);
  const body = { rewrite: { target_file_bytes: "many" } };
  const sent = packhouse.put("/v1/tables/{table_id}/policy", { params: { path, header: { "if-none-match": "*" } }, body });
  const error = await sent.catch((e: unknown) => e);
  assert.ok(error instanceof InvalidInputError);
  assert.equal(error.errors[0]?.pointer, "/rewrite/target_file_bytes");
});
