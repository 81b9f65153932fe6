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

const PARTITIONS = "/v1/tables/{table_id}/partitions";
const partitions = (names: string, next: string | null = null) =>
  ({ body: page([...names].map((name) => ({ spec_id: 0, partition: name }) as never), next) as never });
const expired = problem(410, "list_expired");

test("a list that expired begins again and gives no item twice", async () => {
  const server = new MockServer().on(
    "get",
    PARTITIONS,
    partitions("ab", "one"),
    expired,
    partitions("bc", "two"),
    partitions("ad"),
  );
  const items = await collect(server.client().list(PARTITIONS, { params: { path: { table_id: "t" } } }));
  assert.deepEqual(items.map((each) => each.partition), ["a", "b", "c", "d"]);
  assert.deepEqual(server.requests.map(({ query }) => query.get("page_token")), [null, "one", null, "two"]);
});

test("a list that expires again and again without a new item is an error", async () => {
  const answers = Array.from({ length: 11 }, () => [partitions("a", "one"), expired]).flat();
  const server = new MockServer().on("get", PARTITIONS, ...answers);
  const listing = server.client().list(PARTITIONS, { params: { path: { table_id: "t" } } });
  await assert.rejects(collect(listing), { code: "list_expired" });
  assert.equal(server.requests.length, 22);
});
