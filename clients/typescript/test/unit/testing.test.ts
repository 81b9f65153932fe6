import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient, UnavailableError } from "@packhouse/client";
import { MockServer } from "@packhouse/client/testing";
import { table } from "./samples.js";

test("a request is remembered with its parameters", async () => {
  const server = new MockServer().on("get", "/v1/tables/{table_id}", { body: table("tbl_1") });
  await server.client().get("/v1/tables/{table_id}", { params: { path: { table_id: "a/b ?" } } });
  assert.equal(server.requests[0]?.params["table_id"], "a/b ?");
  assert.equal(server.requests[0]?.headers.get("authorization"), "Bearer pkh_test");
});

test("an operation without an answer says so", async () => {
  const server = new MockServer().on("get", "/v1/tables/{table_id}", { body: table("tbl_1") });
  await assert.rejects(server.client().get("/v1/runs"), (error: unknown) => {
    assert.ok(error instanceof UnavailableError);
    assert.match(error.message, /GET \/v1\/runs.*GET \/v1\/tables\/\{table_id\}/);
    return true;
  });
  assert.equal(server.requests.length, 1);
});

test("a token may be made for each request", async () => {
  const server = new MockServer().on("delete", "/v1/tables/{table_id}", {});
  let count = 0;
  const client = createClient({ baseUrl: "http://h/", apiKey: async () => `t${++count}`, fetch: server.fetch });
  for (const _ of [1, 2]) await client.delete("/v1/tables/{table_id}", { params: { path: { table_id: "t" } } });
  assert.deepEqual(server.requests.map(({ headers }) => headers.get("authorization")), ["Bearer t1", "Bearer t2"]);
});

test("headers of an answer can be had", async () => {
  const server = new MockServer().on("get", "/v1/tables/{table_id}", { body: table("t"), headers: { ETag: '"3"' } });
  const { response } = await server.client().http.GET("/v1/tables/{table_id}", { params: { path: { table_id: "t" } } });
  assert.equal(response.headers.get("etag"), '"3"');
});
