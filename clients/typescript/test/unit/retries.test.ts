import assert from "node:assert/strict";
import { test } from "node:test";
import { ConflictError, ConnectionError, RateLimitedError, UnavailableError, UnreadableAnswerError } from "@packhouse/client";
import { type MockHandler, MockServer, problem, unreachable } from "@packhouse/client/testing";
import { delayBefore } from "../../src/retries.js";
import { page } from "./samples.js";

const OK = { body: page([]) };
const ACCEPTED = { status: 202, body: { id: "run_1" } as never };
const BODY = { body: { table_id: "tbl_1", operation: "rewrite" } } as const;
const superseded: MockHandler = () =>
  Response.json({ title: "t", detail: "d", status: 409, code: "state_conflict", details: { constraint: "superseded" } }, {
    status: 409,
    headers: { "Content-Type": "application/problem+json" },
  });

test("a read is sent again until it is answered", async () => {
  const server = new MockServer().on("get", "/v1/tables", unreachable, problem(503, "unavailable"), OK);
  assert.deepEqual(await server.client().get("/v1/tables"), OK.body);
  assert.equal(server.requests.length, 3);
});

test("a creating POST is sent again under one key", async () => {
  const server = new MockServer().on("post", "/v1/runs", unreachable, problem(503, "unavailable"), ACCEPTED);
  await server.client().post("/v1/runs", BODY);
  const keys = server.requests.map(({ headers }) => headers.get("idempotency-key"));
  assert.equal(keys.length, 3);
  assert.equal(new Set(keys).size, 1);
  assert.match(String(keys[0]), /^[0-9a-f-]{36}$/);
  assert.deepEqual(server.requests.map(({ body }) => body), Array(3).fill(BODY.body));
});

test("two calls have two keys", async () => {
  const server = new MockServer().on("post", "/v1/runs", ACCEPTED);
  const client = server.client();
  await client.post("/v1/runs", BODY);
  await client.post("/v1/runs", BODY);
  assert.equal(new Set(server.requests.map(({ headers }) => headers.get("idempotency-key"))).size, 2);
});

test("a caller's own key is kept", async () => {
  const server = new MockServer().on("post", "/v1/runs", ACCEPTED);
  await server.client().post("/v1/runs", { ...BODY, params: { header: { "idempotency-key": "mine" } } });
  assert.equal(server.requests[0]?.headers.get("idempotency-key"), "mine");
});

test("a try that changed nothing, as an earlier one was refused, is sent again", async () => {
  const server = new MockServer().on("post", "/v1/runs", unreachable, superseded, ACCEPTED);
  assert.equal((await server.client().submitRun(BODY.body)).id, "run_1");
});

test("a conflict of states is no reason to try again", async () => {
  const server = new MockServer().on("post", "/v1/runs", problem(409, "state_conflict"));
  await assert.rejects(server.client().post("/v1/runs", BODY), ConflictError);
  assert.equal(server.requests.length, 1);
});

for (const method of ["put", "delete"] as const) {
  test(`a ${method} whose answer was lost is not sent again`, async () => {
    const server = new MockServer().on(method, "/v1/catalogs/{name}", unreachable);
    const init = { params: { path: { name: "lake" }, header: { "if-match": '"1"' } } };
    const sent = method === "put"
      ? server.client().put("/v1/catalogs/{name}", { ...init, body: { properties: {} } })
      : server.client().delete("/v1/catalogs/{name}", init);
    await assert.rejects(sent, ConnectionError);
    assert.equal(server.requests.length, 1);
  });
}

test("what was refused for its rate was not done, so anything is sent again", async () => {
  const server = new MockServer().on("delete", "/v1/catalogs/{name}", problem(429, "rate_limited"), {});
  await server.client().delete("/v1/catalogs/{name}", {
    params: { path: { name: "lake" }, header: { "if-match": '"1"' } },
  });
  assert.equal(server.requests.length, 2);
});

test("Retry-After is obeyed", async () => {
  const request = new Request("http://packhouse.test/v1/tables");
  const later = new Response(null, { status: 429, headers: { "Retry-After": "7" } });
  const options = { attempts: 4, firstDelayMs: 1, longestDelayMs: 30_000 };
  assert.equal(await delayBefore(request, later, 1, options), 7000);
});

test("without Retry-After the longest wait doubles up to its bound", async () => {
  const request = new Request("http://packhouse.test/v1/tables");
  const options = { attempts: 99, firstDelayMs: 100, longestDelayMs: 300 };
  for (const [attempt, longest] of [[1, 100], [2, 200], [3, 300], [50, 300]] as const) {
    const delay = await delayBefore(request, new Response(null, { status: 503 }), attempt, options);
    assert.ok(delay !== undefined && delay >= 0 && delay <= longest);
  }
});

test("a longer wait than is wanted is handed on", async () => {
  const later = problem(429, "rate_limited", "slow down", { "Retry-After": "3600" });
  const server = new MockServer().on("get", "/v1/tables", later);
  const error = await server.client().get("/v1/tables").catch((e: unknown) => e);
  assert.ok(error instanceof RateLimitedError);
  assert.equal(error.retryAfterSeconds, 3600);
  assert.equal(server.requests.length, 1);
});

test("the last answer is thrown when all tries failed", async () => {
  const server = new MockServer().on("get", "/v1/tables", problem(503, "unavailable"));
  await assert.rejects(server.client({ retries: { attempts: 3, firstDelayMs: 1 } }).get("/v1/tables"), UnavailableError);
  assert.equal(server.requests.length, 3);
});

test("an answer that does not come in time is none", async () => {
  const fetch = (request: Request) =>
    new Promise<Response>((_, reject) => request.signal.addEventListener("abort", () => reject(request.signal.reason)));
  const client = new MockServer().client({ fetch, timeoutMs: 20, retries: { attempts: 2, firstDelayMs: 1 } });
  await assert.rejects(client.get("/v1/tables"), (error: unknown) => {
    assert.ok(error instanceof ConnectionError);
    assert.match(error.message, /none within 20 ms/);
    return true;
  });
});

test("a redirect is an error with a remedy, and is not sent again", async () => {
  const server = new MockServer().on("get", "/v1/tables", { status: 307, headers: { Location: "http://other.test/" } });
  await assert.rejects(server.client().get("/v1/tables"), (error: unknown) => {
    assert.ok(error instanceof UnreadableAnswerError);
    assert.match(error.message, /packhouse\.test.*redirects.*as baseUrl/);
    return true;
  });
  assert.equal(server.requests.length, 1);
});

test("a body that stops half-way is not an answer", async () => {
  const half = () =>
    new Response(new ReadableStream({ start: (c) => (c.enqueue(new TextEncoder().encode('{"it')), c.error(new Error("reset"))) }));
  const server = new MockServer().on("get", "/v1/tables", half, OK);
  assert.deepEqual(await server.client().get("/v1/tables"), OK.body);
});

test("a caller's abort ends the waiting at once", async () => {
  const server = new MockServer().on("get", "/v1/tables", problem(503, "unavailable", "x", { "Retry-After": "20" }));
  const controller = new AbortController();
  const asked = server.client().get("/v1/tables", { signal: controller.signal });
  setTimeout(() => controller.abort(new Error("enough")), 10);
  await assert.rejects(asked, /enough/);
});
