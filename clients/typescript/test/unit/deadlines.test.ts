import assert from "node:assert/strict";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createClient, type Packhouse, PackhouseError } from "@packhouse/client";
import { collect } from "./samples.js";

const DEADLINE_MS = 100;
const MOST_MS = 5_000;
setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Call a server that never ends its answer, with the collections of garbage that a long call has. */
async function endOf(send: (answer: ServerResponse) => void, call: (client: Packhouse) => Promise<unknown>): Promise<unknown> {
  const server = createServer((_, answer) => send(answer));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const collecting = setInterval(collectGarbage, 5);
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = createClient({ baseUrl, apiKey: "k", timeoutMs: DEADLINE_MS, retries: { attempts: 1 } });
  let late: ReturnType<typeof setTimeout> | undefined;
  const tooLate = new Promise((resolve) => (late = setTimeout(() => resolve("it did not end"), MOST_MS)));
  try {
    return await Promise.race([call(client).catch((error: unknown) => error), tooLate]);
  } finally {
    clearTimeout(late);
    clearInterval(collecting);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

function silent(): void {}

function unfinished(answer: ServerResponse): void {
  answer.writeHead(200, { "Content-Type": "application/json" }).write("[");
}

function quietStream(answer: ServerResponse): void {
  answer.writeHead(200, { "Content-Type": "text/event-stream" }).write(": hello\n\n");
}

for (const send of [silent, unfinished]) {
  test(`a call ends at its deadline though garbage is collected (${send.name})`, async () => {
    const error = await endOf(send, (client) => client.get("/v1/tables"));
    assert.ok(error instanceof PackhouseError, String(error));
    assert.match(error.message, /no answer \(none within 100 ms\)/);
  });

  test(`a call ends when its caller aborts it though garbage is collected (${send.name})`, async () => {
    const caller = new AbortController();
    const reason = new Error("enough");
    setTimeout(() => caller.abort(reason), DEADLINE_MS / 2);
    assert.equal(await endOf(send, (client) => client.get("/v1/tables", { signal: caller.signal })), reason);
  });
}

for (const send of [silent, unfinished, quietStream]) {
  test(`a stream ends after silence though garbage is collected (${send.name})`, async () => {
    const limits = { silenceMs: DEADLINE_MS, pollMs: 1, timeoutMs: 2 * DEADLINE_MS };
    const error = await endOf(send, (client) => client.waitForRun("run_1", limits));
    assert.ok(error instanceof PackhouseError, String(error));
  });

  test(`a stream ends when its caller aborts it though garbage is collected (${send.name})`, async () => {
    const caller = new AbortController();
    const reason = new Error("enough");
    setTimeout(() => caller.abort(reason), DEADLINE_MS / 2);
    const error = await endOf(send, (client) => collect(client.follow("run_1", { signal: caller.signal })));
    assert.equal(error, reason);
  });
}
