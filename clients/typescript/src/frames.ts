/** Server-Sent Events read from a fetch body, as the HTML standard frames them (section 9.2.6). */
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
  let fields = new Fields();
  for await (const line of readLines(partsOf(body, signal), onBytes)) {
    if (line !== "") {
      fields.add(line);
      continue;
    }
    const frame = fields.frame();
    fields = new Fields();
    if (frame !== undefined) yield frame;
  }
}

class Fields {
  #event = "message";
  #id: string | undefined;
  readonly #data: string[] = [];
  #characters = 0;

  add(line: string): void {
    this.#characters += line.length + 1;
    limit(this.#characters);
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "event") this.#event = value;
    else if (name === "data") this.#data.push(value);
    else if (name === "id" && !value.includes("\0")) this.#id = value;
  }

  frame(): Frame | undefined {
    if (this.#data.length === 0) return undefined;
    return { event: this.#event, id: this.#id, data: this.#data.join("\n") };
  }
}

function limit(characters: number): void {
  if (characters > MOST_CHARACTERS) throw new RangeError(`a frame of more than ${MOST_CHARACTERS} characters`);
}

/** Yield lines without their ends: CRLF, LF or CR. What follows the last end is not complete and is dropped. */
async function* readLines(
  parts: AsyncIterable<Uint8Array>,
  onBytes: () => void,
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const part of parts) {
    onBytes();
    rest += decoder.decode(part, { stream: true });
    const end = rest.endsWith("\r") ? rest.length - 1 : rest.length; // its LF may be under way
    const lines = rest.slice(0, end).split(/\r\n|\n|\r/);
    rest = (lines.pop() ?? "") + rest.slice(end);
    limit(rest.length);
    yield* lines;
  }
  if (rest.endsWith("\r")) yield rest.slice(0, -1);
}
