import { expect, test } from "vitest";
import { leaf } from "../logic/fixture";
import type { Preview, Stored } from "../policyTarget";
import { type Layers, standingOf, strengthOf } from "./inheritance";

const setting = (value: unknown, origin: string) => ({ table_id: "t", notes: [], settings: { priority: { value, origin } } });
const change = (after: unknown, origin: string) => ({ changes: [{ settings: [{ setting: "priority", after, after_origin: origin }] }] }) as unknown as Preview;
const stored = { policy: { priority: "high" } } as unknown as Stored;
const layers = (some: Partial<Layers>): Layers => ({ effective: undefined, underneath: undefined, preview: undefined, base: null, origin: "table", isOneTable: true, ...some });
const priority = leaf("priority");

test("a setting that the policy leaves out has the value and origin that hold", () => {
  expect(standingOf(priority, layers({ effective: setting("low", "fleet") })).inherited).toEqual({ value: "low", origin: "fleet" });
});
test("under a setting of the table is what its deletion would bring back", () => {
  const own = { effective: setting("high", "table"), base: stored };
  expect(standingOf(priority, layers({ ...own, underneath: change("normal", "default") })).inherited).toEqual({ value: "normal", origin: "default" });
  expect(standingOf(priority, layers({ ...own, underneath: { changes: [] } as unknown as Preview })).inherited).toEqual({ value: "high", origin: "" });
  expect(standingOf(priority, layers(own)).inherited).toBeNull();
});
test("the effect of the draft wins: another preset changes what is inherited", () => {
  const found = standingOf(priority, layers({ effective: setting("normal", "default"), preview: change("low", "preset artemis") }));
  expect(found.inherited).toEqual({ value: "low", origin: "preset artemis" });
});
test("a stronger layer is not inherited", () => {
  const found = standingOf(priority, layers({ effective: setting("high", "label tier=gold"), origin: "fleet", isOneTable: false }));
  expect([found.inherited, found.stronger?.origin]).toEqual([null, "label tier=gold"]);
});
test("an answer from before a save does not make the defaults stronger", () => {
  expect(standingOf(priority, layers({ effective: setting("normal", "default"), base: stored, origin: "fleet", isOneTable: false })).stronger).toBeNull();
  expect(strengthOf("table property")).toBeLessThan(strengthOf("preset balanced"));
});
