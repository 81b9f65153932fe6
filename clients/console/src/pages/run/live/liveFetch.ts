/** `fetch` for the client that follows one run: reports when its event stream opens, shows life, and breaks. */
import { watchedFetch } from "../../../api/connection";

export interface StreamWatch {
  /** The stream is open. */
  readonly opened: () => void;
  /** Something came over the stream: an event, progress, or a heartbeat. */
  readonly alive: () => void;
  /** The stream was refused, broke, or was closed by the server. */
  readonly closed: () => void;
  /** Events were asked for without a stream, and came. */
  readonly polled: () => void;
}

/** Return a fetch that calls `watch`; answers are handed on unchanged. */
export function streamFetch(watch: StreamWatch, send = watchedFetch): (request: Request) => Promise<Response> {
  return async (request) => {
    if (request.headers.get("accept") !== "text/event-stream") {
      const response = await send(request);
      if (response.ok && new URL(request.url).pathname.endsWith("/events")) watch.polled();
      return response;
    }
    try {
      const response = await send(request);
      if (!response.ok || response.body === null) {
        watch.closed();
        return response;
      }
      watch.opened();
      return new Response(watched(response.body, watch), { status: response.status, headers: response.headers });
    } catch (error) {
      watch.closed();
      throw error;
    }
  };
}

function watched(body: ReadableStream<Uint8Array>, watch: StreamWatch): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) {
          watch.closed();
          controller.close();
        } else {
          watch.alive();
          controller.enqueue(value);
        }
      } catch (error) {
        watch.closed();
        controller.error(error);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
