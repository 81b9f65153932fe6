/**
 * One call to each of several hostile servers, one after the other: the memory of a call is the growth of the process's peak.
 *
 * PACKHOUSE_HOSTILE: the addresses by name, as JSON. With `stream:` before its name, a server is asked for events.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient, PackhouseError } from "@packhouse/client";

const DEADLINE_MS = 200;
const MOST_MS = 12_000;
const MOST_MIB = 256;

function peakMib(): number {
  return process.resourceUsage().maxRSS / 1024;
}

for (const [name, baseUrl] of Object.entries(JSON.parse(process.env["PACKHOUSE_HOSTILE"] ?? "") as Record<string, string>)) {
  test(name, async () => {
    const packhouse = createClient({ baseUrl, apiKey: "pkh_hidden", timeoutMs: DEADLINE_MS, retries: { attempts: 1 } });
    const [before, begun] = [peakMib(), Date.now()];
    const call = name.startsWith("stream:")
      ? packhouse.waitForRun("run_1", { silenceMs: DEADLINE_MS, pollMs: 1, timeoutMs: 4 * DEADLINE_MS })
      : packhouse.list("/v1/tables").take(1);
    const error = await call.then(() => undefined, (e: unknown) => e);
    assert.ok(error instanceof PackhouseError, String(error));
    assert.match(error.message, /127\.0\.0\.1|run_1 did not end/);
    assert.ok(Date.now() - begun <= MOST_MS, `it took ${Date.now() - begun} ms`);
    assert.ok(peakMib() - before <= MOST_MIB, `it took ${peakMib() - before} MiB`);
  });
}
