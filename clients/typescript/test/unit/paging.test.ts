import assert from "node:assert/strict";
import { test } from "node:test";
import { NotFoundError } from "@packhouse/client";
import { MockServer, problem } from "@packhouse/client/testing";
import { collect, page, table } from "./samples.js";

function threePages(): MockServer {
  return new MockServer().on(
    "get",
    "/v1/tables",
    { body: page([table("a"), table("b")], "one") },
    { body: page([], "two") },
    { body: page([table("c")]) },
  );
}

test("every item comes once, over pages of any size", async () => {
  const server = threePages();
  const items = await collect(server.client().list("/v1/tables", { params: { query: { catalog: "lake" } } }));
  assert.deepEqual(items.map(({ id }) => id), ["a", "b", "c"]);
  assert.deepEqual(server.requests.map(({ query }) => query.toString()), [
    "catalog=lake",
    "catalog=lake&page_token=one",
    "catalog=lake&page_token=two",
  ]);
});

test("no page is fetched before it is reached", async () => {
  const server = threePages();
  assert.deepEqual((await server.client().list("/v1/tables").take(2)).length, 2);
  assert.equal(server.requests.length, 1);
});

test("nothing is fetched for nothing", async () => {
  const server = threePages();
  assert.deepEqual(await server.client().list("/v1/tables").take(0), []);
  assert.equal(server.requests.length, 0);
});

test("whole pages can be had", async () => {
  const pages = await collect(threePages().client().list("/v1/tables").pages());
  assert.deepEqual(pages.map(({ length }) => length), [2, 0, 1]);
});

test("a list that can't be read throws the typed error", async () => {
  const server = new MockServer().on("get", "/v1/runs/{run_id}/groups", problem(404, "not_found"));
  const groups = server.client().list("/v1/runs/{run_id}/groups", { params: { path: { run_id: "run_1" } } });
  await assert.rejects(collect(groups), NotFoundError);
});
