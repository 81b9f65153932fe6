import { ApiError } from "@packhouse/client";
import { expect, test } from "vitest";
import { acknowledged, amounts, typedText } from "./Acknowledging";

const table = { id: "tbl_1", address: "lake.shop.orders", settings: [], snapshots: 1, files: 2, bytes: 3, removed_until: null, complete: true };

test("one table is typed by its address, several by their number", () => {
  expect(typedText({ table_count: 1, by_table: [table] })).toBe("lake.shop.orders");
  expect(typedText({ table_count: 214, by_table: [table] })).toBe("delete from 214 tables");
});

test("a refusal for any other reason is thrown on", async () => {
  const refusal = new ApiError({ type: "/problems/x", title: "x", status: 428, detail: "x", instance: "/", code: "precondition_required", request_id: null });
  await expect(acknowledged(() => Promise.reject(refusal))).rejects.toBe(refusal);
});

test("a rule that deletes nothing yet says so", () => {
  expect(amounts(table)).toBe("1 snapshot, 2 files, 3 bytes");
  expect(amounts({ ...table, snapshots: 0, files: 0, bytes: 0 })).toBe("nothing now, more as history gets older");
});
