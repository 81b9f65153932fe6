import { expect, test } from "vitest";
import document from "../../../../../../docs/policy.schema.json";
import { differing } from "./canonical";
import { leavesOf, type SchemaNode } from "./schema";

const root = document as unknown as SchemaNode;
const leaves = leavesOf(root);
const changed = (a: object, b: object) => differing(a, b, leaves, root).map(({ name }) => name);
const blackout = (from: string, to: string, zone?: string) => ({ blackouts: [{ from, to, reason: "freeze", ...(zone === undefined ? {} : { time_zone: zone }) }] });

test("a stored blackout is the one that was written, whatever form its times have", () => {
  const stored = blackout("2031-12-24T18:00:00", "2031-12-27T00:00:00", "UTC");
  expect(changed(blackout("2031-12-24T18:00", "2031-12-27", "UTC"), stored)).toEqual([]);
  expect(changed(blackout("2031-12-24T18:00", "2031-12-28", "UTC"), stored)).toEqual(["blackouts"]);
  expect(changed(blackout("2031-12-24T18:00Z", "2031-12-27Z"), blackout("2031-12-24T19:00:00+01:00", "2031-12-27T00:00:00Z"))).toEqual([]);
  expect(changed(blackout("2031-12-24T18:00Z", "2031-12-27Z"), blackout("2031-12-24T18:00:00.5Z", "2031-12-27Z"))).toEqual(["blackouts"]);
});

test("sizes and durations are compared by what they mean", () => {
  expect(changed({ rewrite: { target_file_bytes: "128MiB" } }, { rewrite: { target_file_bytes: 134_217_728 } })).toEqual([]);
  expect(changed({ rewrite: { target_file_bytes: "128MiB" } }, { rewrite: { target_file_bytes: "128MB" } })).toEqual(["rewrite.target_file_bytes"]);
});
