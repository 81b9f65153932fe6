/** The client: `openapi-fetch` over the generated types, with typed errors, safe retries, lists and waiting. */
import createFetchClient, { type Client, type MaybeOptionalInit, type MethodResponse, type Middleware } from "openapi-fetch";
import type { PathsWithMethod, RequiredKeysOf } from "openapi-typescript-helpers";
import { errorOf, UnreadableAnswerError } from "./errors.js";
import { KEYED_POSTS } from "./generated/operations.js";
import type { components, paths } from "./generated/schema.js";
import { ITEM_KEYS, Listing, type Page } from "./paging.js";
import { type Fetch, type RetryOptions, retrying } from "./retries.js";
import { followRun, type FollowOptions, type RunSignal } from "./streaming.js";
import { type RunDetail, waitForRun, type WaitOptions } from "./waiting.js";

export type Json = "application/json";
/** The client of `openapi-fetch`, typed by the API's description. */
export type HttpClient = Client<paths, Json>;
type Method = "get" | "post" | "put" | "patch" | "delete";
type Init<Path extends keyof paths, M extends Method> = MaybeOptionalInit<paths[Path], M>;
type Given<I> = RequiredKeysOf<I> extends never ? [init?: I] : [init: I];
type Data<Path extends PathsWithMethod<paths, M>, M extends Method> = MethodResponse<HttpClient, M, Path>;
/** Calls one method of the API and returns the answer's data. Throws the errors of `errors.ts`. */
export type Call<M extends Method> = <Path extends PathsWithMethod<paths, M>>(
  path: Path,
  ...init: Given<Init<Path, M>>
) => Promise<Data<Path, M>>;

type ItemOf<Data> = Data extends { readonly items: readonly (infer Item)[] } ? Item : never;
/** The paths that answer lists by page. */
export type ListPath = {
  [Path in PathsWithMethod<paths, "get">]: Data<Path, "get"> extends Page<unknown> ? Path : never;
}[PathsWithMethod<paths, "get">];

/** A run to start, by its operation; `post("/v1/runs/preview", { body })` answers its plan. */
export type RunWish = paths["/v1/runs"]["post"]["requestBody"]["content"]["application/json"];
export type RunAccepted = components["schemas"]["RunAccepted"];

export interface ClientOptions {
  /** Address of the server, such as `https://packhouse.example.com`. */
  readonly baseUrl: string;
  /** An API key, `pkh_…`, or a function that returns a token for each request. */
  readonly apiKey: string | (() => string | Promise<string>);
  /** Limit of one try of one request, from its first byte to the last of the answer; 30 s if left out. Not of event streams. */
  readonly timeoutMs?: number;
  /** How often and how soon requests are sent again; see `RetryOptions`. */
  readonly retries?: Partial<RetryOptions>;
  /** Sends requests; the platform's own `fetch` if left out. */
  readonly fetch?: Fetch;
}

/** A client of one Packhouse server. */
export class Packhouse {
  /** Answers `{ data, response }`, for callers that need headers such as `ETag`; throws the same errors. */
  readonly http: HttpClient;
  readonly #baseUrl: string;

  constructor(options: ClientOptions) {
    this.#baseUrl = options.baseUrl;
    const send: Fetch = options.fetch ?? ((request) => globalThis.fetch(request));
    const retries = { attempts: 4, firstDelayMs: 250, longestDelayMs: 30_000, ...options.retries };
    this.http = createFetchClient<paths, Json>({
      baseUrl: options.baseUrl,
      redirect: "manual", // refused in `answers.ts`
      fetch: retrying(send, retries, options.timeoutMs ?? 30_000),
    });
    refuseUnreadable(this.http, options.baseUrl);
    this.http.use(authorization(options.apiKey), idempotency, problems);
  }

  readonly get: Call<"get"> = async (path, ...init) => (await this.http.GET(path, ...(init as never))).data as never;
  readonly post: Call<"post"> = async (path, ...init) => (await this.http.POST(path, ...(init as never))).data as never;
  readonly put: Call<"put"> = async (path, ...init) => (await this.http.PUT(path, ...(init as never))).data as never;
  readonly patch: Call<"patch"> = async (path, ...init) =>
    (await this.http.PATCH(path, ...(init as never))).data as never;
  readonly delete: Call<"delete"> = async (path, ...init) =>
    (await this.http.DELETE(path, ...(init as never))).data as never;

  /** Return a list that fetches its pages as they are reached. Filters go into `params.query`. */
  list<Path extends ListPath>(path: Path, ...init: Given<Init<Path, "get">>): Listing<ItemOf<Data<Path, "get">>> {
    const given = (init[0] ?? {}) as { params?: { query?: object } };
    return new Listing(async (token) => {
      const query = { ...given.params?.query, ...(token === undefined ? {} : { page_token: token }) };
      const page = await this.http.GET(path as never, { ...given, params: { ...given.params, query } } as never);
      const data = page.data as Page<never> | undefined;
      if (Array.isArray(data?.items)) return data;
      throw new UnreadableAnswerError(`GET ${path} of ${this.#baseUrl} was not answered with a list; check baseUrl`);
    }, ITEM_KEYS[path]);
  }

  /**
   * Submit a run. If an identical run is live, return that one, with `deduplicated`.
   *
   * `acknowledge`: the token of the preview of a run that deletes; without it the server refuses such a run with 428.
   */
  async submitRun(request: RunWish, acknowledge?: string): Promise<RunAccepted> {
    const query = acknowledge === undefined ? {} : { acknowledge };
    return (await this.post("/v1/runs", { params: { query }, body: request })) as RunAccepted;
  }

  /** Yield a run's events and progress as they happen, until it has ended; see `streaming.ts`. */
  follow(runId: string, options: FollowOptions = {}): AsyncGenerator<RunSignal, void, undefined> {
    return followRun(this, runId, options);
  }

  /** Wait until a run has ended, and return it; look at `state` for how. See `waiting.ts`. */
  async waitForRun(runId: string, options: WaitOptions = {}): Promise<RunDetail> {
    return waitForRun(this, runId, options);
  }
}

/** Make an answer that is not JSON an `UnreadableAnswerError`: the client beneath throws the parser's `SyntaxError`. */
function refuseUnreadable(http: HttpClient, baseUrl: string): void {
  for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"] as const) {
    const call = http[method] as (...given: unknown[]) => Promise<unknown>;
    http[method] = (async (path: string, ...init: unknown[]) => {
      try {
        return await call(path, ...init);
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
        const message = `${method} ${path} of ${baseUrl} was not answered with JSON; check baseUrl: ${error.message}`;
        throw new UnreadableAnswerError(message, { cause: error });
      }
    }) as never;
  }
}

function authorization(apiKey: ClientOptions["apiKey"]): Middleware {
  return {
    async onRequest({ request }) {
      const token = typeof apiKey === "function" ? await apiKey() : apiKey;
      request.headers.set("Authorization", `Bearer ${token}`);
    },
  };
}

/** Gives every POST that creates a key of its own, so that it can be sent again. A caller's own key stays. */
const idempotency: Middleware = {
  onRequest({ request, schemaPath }) {
    if (request.method !== "POST" || !KEYED_POSTS.has(schemaPath) || request.headers.has("Idempotency-Key")) return;
    request.headers.set("Idempotency-Key", globalThis.crypto.randomUUID());
  },
};

const problems: Middleware = {
  async onResponse({ request, response }) {
    if (!response.ok) throw await errorOf(request, response);
  },
};
