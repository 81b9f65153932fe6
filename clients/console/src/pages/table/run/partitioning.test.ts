import { expect, test } from "vitest";
import { columnsFirst, columnsOf, partitionFields, partitionText } from "./partitioning";

const health = {
  table: {
    format: "iceberg",
    columns: [
      { id: 1, name: "id", type: "long" },
      { id: 2, name: "at", type: "timestamp" },
    ],
    default_spec_id: 1,
    specs: [
      { spec_id: 0, fields: [] },
      {
        spec_id: 1,
        fields: [
          { name: "day", column: "at", transform: "day" },
          { name: "id", column: "id", transform: "identity" },
          { name: "old", column: null, transform: "void" },
        ],
      },
    ],
  },
};

test("the columns of the current spec come first, with what is taken of them", () => {
  const fields = partitionFields(health)!;
  expect(partitionText(fields)).toBe("the day of at, id, old, whose column was dropped");
  expect(columnsFirst(columnsOf(health), fields)).toEqual(["at", "id"]);
});

test("a table without partitions says so, and one that is not read yet too", () => {
  expect(partitionText([])).toBe("none: the table has no partitions");
  expect(partitionText(partitionFields(undefined))).toBe("being looked up");
});
