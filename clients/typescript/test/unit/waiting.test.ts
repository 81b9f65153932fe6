import assert from "node:assert/strict";
import { test } from "node:test";
import { NotFoundError, type RunSignal, WaitTimeoutError } from "@packhouse/client";
import { eventStream, type MockFrame, MockServer, problem, unreachable } from "@packhouse/client/testing";
import { collect, event, page, progress, run } from "./samples.js";

const RUN = "/v1/runs/{run_id}";
const EVENTS = "/v1/runs/{run_id}/events";
const FAST = { pollMs: 1 };
const NO_MORE = () => new Response(null, { status: 204 });

function frame(sequence: number): MockFrame {
  return { event: "event", id: sequence, data: event(sequence) };
}

function sequences(signals: RunSignal[]): number[] {
  return signals.flatMap((signal) => (signal.kind === "event" ? [signal.event.sequence] : []));
}

/** A log of three events: asked for JSON it answers all, asked for a stream it does what the test says. */
function serverWith(...streams: (readonly MockFrame[])[]): MockServer {
  let count = 0;
  return new MockServer().on("get", EVENTS, (request) => {
    if (request.headers.get("accept") !== "text/event-stream") return Response.json(page([1, 2, 3].map((n) => event(n))));
    const frames = streams[count++];
    return frames === undefined ? NO_MORE() : (eventStream(...frames)(request) as Response);
  });
}

test("a run is followed to its end, with its progress", async () => {
  const seen: unknown[] = [];
  const server = serverWith([frame(1), { event: "progress", data: progress(1) }, frame(2), frame(3)]);
  const ended = await server.on("get", RUN, { body: run("succeeded") }).client().waitForRun("run_1", {
    onEvent: ({ sequence }) => seen.push(sequence),
    onProgress: ({ groups_finished }) => seen.push(`${groups_finished} groups`),
  });
  assert.equal(ended.state, "succeeded");
  assert.deepEqual(seen, [1, "1 groups", 2, 3]);
});

test("a run that failed is returned, not thrown", async () => {
  const server = serverWith([frame(1), frame(2), frame(3)]).on("get", RUN, { body: run("failed") });
  assert.equal((await server.client().waitForRun("run_1")).state, "failed");
});

test("a stream that broke is resumed after the last event", async () => {
  const server = serverWith([frame(1)], [frame(2), frame(3)]);
  server.on("get", RUN, { body: run("rewriting") }, { body: run("succeeded") });
  assert.deepEqual(sequences(await collect(server.client().follow("run_1", FAST))), [1, 2, 3]);
  const asked = server.requests.filter(({ headers }) => headers.get("accept") === "text/event-stream");
  assert.deepEqual(asked.map(({ headers }) => headers.get("last-event-id")), [null, "1"]);
});

test("a stream that ended before its last event does not pass for the end", async () => {
  const server = serverWith([frame(1)], [frame(2), frame(3)]).on("get", RUN, { body: run("succeeded") });
  assert.deepEqual(sequences(await collect(server.client().follow("run_1", FAST))), [1, 2, 3]);
});

test("a caller begins where it was", async () => {
  const server = serverWith([frame(3)]).on("get", RUN, { body: run("succeeded") });
  assert.deepEqual(sequences(await collect(server.client().follow("run_1", { afterSequence: 2 }))), [3]);
  assert.equal(server.requests[0]?.headers.get("last-event-id"), "2");
});

for (const [what, refusal] of [
  ["too many streams", problem(429, "too_many_streams", "x", { "Retry-After": "10" })],
  ["a server without streams", problem(406, "not_acceptable")],
  ["a proxy that lets no stream through", unreachable],
] as const) {
  test(`events are polled instead: ${what}`, async () => {
    const asJson = { body: page([event(1)]) };
    const server = new MockServer();
    server.on("get", EVENTS, (request) => {
      if (request.headers.get("accept") !== "text/event-stream") return Response.json(asJson.body);
      if (typeof refusal === "function") return refusal(request);
      return new Response(JSON.stringify(refusal.body), refusal as ResponseInit);
    });
    server.on("get", RUN, { body: run("rewriting", 2) }, { body: run("succeeded") });
    const signals = await collect(server.client().follow("run_1", FAST));
    assert.deepEqual(signals.map(({ kind }) => kind), ["event", "progress"]);
  });
}

test("a silent stream is given up and resumed", async () => {
  let streams = 0;
  const server = new MockServer().on("get", RUN, { body: run("succeeded") });
  const fetch = async (request: Request) => {
    if (request.headers.get("accept") !== "text/event-stream" || ++streams > 1) return server.fetch(request);
    return new Response(new ReadableStream({ start: (c) => request.signal.addEventListener("abort", () => c.error()) }));
  };
  server.on("get", EVENTS, (request) =>
    request.headers.get("accept") === "text/event-stream"
      ? (eventStream(frame(1))(request) as Response)
      : Response.json(page([event(1)])),
  );
  const signals = await collect(server.client({ fetch }).follow("run_1", { ...FAST, silenceMs: 20 }));
  assert.deepEqual([sequences(signals), streams], [[1], 2]);
});

test("a run that is not there is an error, not a wait", async () => {
  const server = new MockServer().on("get", EVENTS, problem(404, "not_found"));
  await assert.rejects(server.client().waitForRun("run_1"), NotFoundError);
});

test("patience ends", async () => {
  const server = serverWith().on("get", RUN, { body: run("queued") });
  await assert.rejects(server.client().waitForRun("run_1", { timeoutMs: 30, pollMs: 5 }), WaitTimeoutError);
});

test("a caller's abort ends the wait with its own reason", async () => {
  const controller = new AbortController();
  const server = serverWith().on("get", RUN, { body: run("queued") });
  setTimeout(() => controller.abort(new Error("enough")), 20);
  await assert.rejects(server.client().waitForRun("run_1", { signal: controller.signal, pollMs: 5 }), /enough/);
});
