import assert from "node:assert/strict";
import { test } from "node:test";
import { type Frame, readFrames } from "../../src/frames.js";
import { collect } from "./samples.js";

const NEVER = new AbortController().signal;

function bodyOf(text: string, chunkBytes: number): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  return new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += chunkBytes) controller.enqueue(bytes.slice(at, at + chunkBytes));
      controller.close();
    },
  });
}

const FRAMES: Frame[] = [
  { event: "event", id: "1", data: '{"note":"größer: 🗜"}' },
  { event: "message", id: undefined, data: "two\nlines" },
];
for (const end of ["\n", "\r\n", "\r"]) {
  for (const chunkBytes of [1, 2, 7, 1000]) {
    test(`frames do not depend on line ends (${JSON.stringify(end)}) and chunks (${chunkBytes})`, async () => {
      const lines = ["retry: 1000", "", ": heartbeat", "", "id: 1", "event: event", `data:${FRAMES[0]?.data}`, ""];
      const text = [...lines, "data: two", "data: lines", "", ""].join(end);
      assert.deepEqual(await collect(readFrames(bodyOf(text, chunkBytes), NEVER)), FRAMES);
    });
  }
}

test("a frame that was cut off is not handed on", async () => {
  assert.deepEqual(await collect(readFrames(bodyOf("event: event\ndata: {}\n", 5), NEVER)), []);
});

for (const line of ["data: x", "data: x\n"]) {
  test(`a frame without an end is refused: ${JSON.stringify(line)}`, async () => {
    let count = 0;
    const endless = new ReadableStream({
      pull: (controller) => controller.enqueue(new TextEncoder().encode(count++ === 0 ? line : line.repeat(1000))),
    });
    await assert.rejects(collect(readFrames(endless, NEVER)), /buffer size/);
    assert.ok(count < 1000, `${count} parts were read`);
  });
}

test("heartbeats are signs of life and no frames", async () => {
  let heard = 0;
  const frames = await collect(readFrames(bodyOf(": heartbeat\n\n", 100), NEVER, () => (heard += 1)));
  assert.deepEqual([frames.length, heard], [0, 1]);
});
