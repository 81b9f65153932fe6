import { expect, test } from "vitest";
import { tableAddress } from "../../format/addresses";
import { parseAddress, parseLabels } from "./register";

test.each([
  ["lake.shop.orders", { catalog: "lake", namespace: ["shop"], name: "orders" }],
  ['lake."shop.eu".orders', { catalog: "lake", namespace: ["shop.eu"], name: "orders" }],
  ['lake.a.b."the ""new"" one"', { catalog: "lake", namespace: ["a", "b"], name: 'the "new" one' }],
])("%s is an address, and is written back unchanged", (text, address) => {
  expect(parseAddress(text)).toEqual(address);
  expect(tableAddress(address)).toBe(text);
});

test.each(["", "lake", "lake.orders", "lake..orders", "lake.shop.orders.", 'lake.shop."orders', 'lake.sh"op.x', "lake.shop.a\"b"])(
  "%s is not an address",
  (text) => expect(parseAddress(text)).toBeNull(),
);

test("labels are split at the first colon, and a text without a key is refused", () => {
  expect(parseLabels(["tier:gold", "path: a:b"])).toEqual({ tier: "gold", path: "a:b" });
  expect(parseLabels(["gold"])).toBeNull();
  expect(parseLabels([":gold"])).toBeNull();
});
