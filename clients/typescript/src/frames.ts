/** Server-Sent Events read from a fetch body; the parser is `eventsource-parser`, the bound on memory and the signal are here. */
import { createParser } from "eventsource-parser";
import { partsOf } from "./parts.js";

/** Limit of one frame, in characters. */
const MOST_CHARACTERS = 2 ** 20;

export interface Frame {
  readonly event: string;
  /** Undefined for frames that can't be resumed from. */
  readonly id: string | undefined;
  readonly data: string;
}

/**
 * Yield frames as they arrive. `onBytes` is told of every sign of life, comments included.
 * Throws if a frame is too large, and the signal's reason as soon as it is aborted.
 */
export async function* readFrames(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
  onBytes: () => void = () => {},
): AsyncGenerator<Frame, void, undefined> {
  const frames: Frame[] = [];
  const parser = createParser({
    maxBufferSize: MOST_CHARACTERS,
    onEvent: ({ event = "message", id, data }) => frames.push({ event, id, data }),
    onError: (error) => {
      if (error.type === "max-buffer-size-exceeded") throw error;
    },
  });
  const decoder = new TextDecoder();
  let text = "";
  for await (const part of partsOf(body, signal)) {
    onBytes();
    text = decoder.decode(part, { stream: true });
    parser.feed(text);
    yield* frames.splice(0);
  }
  if (text.endsWith("\r")) parser.feed("\n"); // the parser waits for the LF of a CRLF
  yield* frames;
}
