import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ApiError,
  ConflictError,
  ForbiddenError,
  InvalidInputError,
  NotFoundError,
  PackhouseError,
  PreconditionError,
  RateLimitedError,
  UnauthenticatedError,
  UnavailableError,
} from "@packhouse/client";
import { MockServer, problem } from "@packhouse/client/testing";

const KINDS: readonly [number, typeof ApiError][] = [
  [400, ApiError],
  [401, UnauthenticatedError],
  [403, ForbiddenError],
  [404, NotFoundError],
  [409, ConflictError],
  [412, PreconditionError],
  [422, InvalidInputError],
  [428, PreconditionError],
  [429, RateLimitedError],
  [500, UnavailableError],
  [503, UnavailableError],
];

for (const [status, kind] of KINDS) {
  test(`status ${status} is thrown as ${kind.name}`, async () => {
    const server = new MockServer().on("get", "/v1/tables", problem(status, "some_code", "what happened"));
    const error = await server.client({ retries: { attempts: 1 } }).get("/v1/tables").catch((e: unknown) => e);
    assert.ok(error instanceof kind && error instanceof PackhouseError);
    assert.equal(error.name, kind.name);
    assert.deepEqual([error.status, error.code, error.requestId], [status, "some_code", "req_test"]);
    assert.match(error.message, /what happened/);
  });
}

test("wrong fields are listed", async () => {
  const wrong = { pointer: "/name", message: "too long", value: null, hint: null };
  const server = new MockServer().on("get", "/v1/tables", () =>
    Response.json({ title: "t", detail: "d", status: 422, code: "invalid_input", errors: [wrong] }, {
      status: 422,
      headers: { "Content-Type": "application/problem+json" },
    }),
  );
  const error = await server.client().get("/v1/tables").catch((e: unknown) => e);
  assert.ok(error instanceof InvalidInputError);
  assert.deepEqual(error.errors, [wrong]);
});

for (const [what, body, type] of [
  ["a proxy's page", "<html>bad gateway</html>", "text/html"],
  ["a problem cut off", '{"title": "cut', "application/problem+json"],
] as const) {
  test(`${what} is an error with the status`, async () => {
    const server = new MockServer().on("get", "/v1/tables", () =>
      new Response(body, { status: 502, headers: { "Content-Type": type } }),
    );
    const error = await server.client({ retries: { attempts: 1 } }).get("/v1/tables").catch((e: unknown) => e);
    assert.ok(error instanceof UnavailableError);
    assert.equal(error.code, "unknown");
    assert.deepEqual(error.errors, []);
  });
}
