/**
 * A server in memory, for tests of code that uses this SDK: `import { MockServer } from "@packhouse/client/testing"`.
 *
 *     const server = new MockServer().on("get", "/v1/tables/{table_id}", { body: table });
 *     await codeUnderTest(server.client());
 *     assert.equal(server.requests[0]?.params.table_id, "tbl_1");
 *
 * Requests go through all of the SDK but the network: retries, typed errors, lists, streams.
 */
import type { MethodResponse } from "openapi-fetch";
import type { PathsWithMethod } from "openapi-typescript-helpers";
import { type ClientOptions, type HttpClient, Packhouse } from "./client.js";
import type { paths } from "./generated/schema.js";
import type { Fetch } from "./retries.js";

type Method = "get" | "post" | "put" | "patch" | "delete";

/** What a request held, read for assertions. */
export interface MockRequest {
  readonly method: string;
  readonly path: string;
  /** Path parameters of the template that matched. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: Headers;
  /** The JSON body, undefined without one. */
  readonly body: unknown;
}

/** An answer: status 200 (204 without a body), or what is given. */
export interface MockAnswer<Body> {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Body;
}

/** Makes an answer from a request; throw a `TypeError` to be unreachable, as `fetch` does. */
export type MockHandler = (request: MockRequest) => Response | Promise<Response>;

interface Route {
  readonly method: string;
  readonly template: string;
  readonly answers: readonly MockHandler[];
  count: number;
}

/** Returns the given answers and records the requests. */
export class MockServer {
  readonly requests: MockRequest[] = [];
  readonly #routes: Route[] = [];

  /** Give the answers of one operation, one a request in turn; the last one is repeated. */
  on<M extends Method, Path extends PathsWithMethod<paths, M>>(
    method: M,
    path: Path,
    ...answers: (MockAnswer<MethodResponse<HttpClient, M, Path>> | MockHandler)[]
  ): this {
    if (answers.length === 0) throw new TypeError(`give at least one answer for ${method} ${path}`);
    const handlers = answers.map((answer) => (typeof answer === "function" ? answer : () => responseOf(answer)));
    this.#routes.push({ method: method.toUpperCase(), template: path, answers: handlers, count: 0 });
    return this;
  }

  /** Return a client of this server, which waits next to nothing between retries. */
  client(options: Partial<ClientOptions> = {}): Packhouse {
    return new Packhouse({
      baseUrl: "http://packhouse.test",
      apiKey: "pkh_test",
      fetch: this.fetch,
      retries: { firstDelayMs: 1 },
      ...options,
    });
  }

  /** For `createClient({ fetch: server.fetch })`. */
  readonly fetch: Fetch = async (request) => {
    const { pathname, searchParams } = new URL(request.url);
    const text = await request.clone().text();
    const asked = { method: request.method, path: pathname, query: searchParams, headers: request.headers };
    const body: unknown = text === "" ? undefined : JSON.parse(text);
    for (const route of this.#routes) {
      const params = route.method === request.method ? paramsOf(route.template, pathname) : undefined;
      if (params === undefined) continue;
      const handler = route.answers[Math.min(route.count, route.answers.length - 1)] as MockHandler;
      route.count += 1;
      const whole = { ...asked, params, body };
      this.requests.push(whole);
      return handler(whole);
    }
    this.requests.push({ ...asked, params: {}, body });
    const known = this.#routes.map(({ method, template }) => `${method} ${template}`).join(", ") || "nothing";
    return responseOf(problem(501, "not_mocked", `no answer for ${request.method} ${pathname}; set up: ${known}`));
  };
}

/** Return a problem answer (RFC 9457), such as `problem(404, "not_found")`. */
export function problem(
  status: number,
  code: string,
  detail: string = code,
  headers: Readonly<Record<string, string>> = {},
): MockAnswer<never> {
  const document = { type: `/problems/${code}`, title: code, status, detail, instance: "/", code, request_id: "req_test" };
  const type = { "Content-Type": "application/problem+json" };
  return { status, headers: { ...type, ...headers }, body: document as never };
}

/** One frame of an event stream; `data` is sent as JSON. */
export interface MockFrame {
  readonly event: string;
  readonly id?: number;
  readonly data: unknown;
}

/** Return a handler that answers an event stream of these frames and closes it. */
export function eventStream(...frames: readonly MockFrame[]): MockHandler {
  const lines = frames.map(({ event, id, data }) => {
    const start = id === undefined ? "" : `id: ${id}\n`;
    return `${start}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
  });
  return () => new Response(lines.join(""), { headers: { "Content-Type": "text/event-stream" } });
}

/** A handler that can't be reached. */
export const unreachable: MockHandler = () => {
  throw new TypeError("fetch failed");
};

function responseOf({ status, headers, body }: MockAnswer<unknown>): Response {
  if (body === undefined) return new Response(null, { status: status ?? 204, headers: { ...headers } });
  const type = { "Content-Type": "application/json" };
  return new Response(JSON.stringify(body), { status: status ?? 200, headers: { ...type, ...headers } });
}

function paramsOf(template: string, pathname: string): Record<string, string> | undefined {
  const [wanted, given] = [template.split("/"), pathname.split("/")];
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index] as string;
    const name = /^\{(.+)\}$/.exec(part)?.[1];
    if (name !== undefined && value !== "") params[name] = decodeURIComponent(value);
    else if (part !== value) return undefined;
  }
  return params;
}
