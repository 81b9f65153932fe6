import { MantineProvider } from "@mantine/core";
import { render } from "@testing-library/react";
import { beforeEach, expect, test, vi } from "vitest";
import { RowsTable } from "./RowsTable";

const COLUMNS = [{ key: "name", title: "Name", cell: (row: number) => row }];
const scrollTo = vi.fn();

beforeEach(() => {
  Element.prototype.scrollTo = scrollTo; // jsdom has none
  vi.stubGlobal("matchMedia", () => ({ matches: false, addEventListener: () => {}, removeEventListener: () => {} }));
});

const table = (listKey: string, rows: readonly number[]) => (
  <MantineProvider>
    <RowsTable label="Numbers" columns={COLUMNS} rows={rows} rowKey={String} listKey={listKey} />
  </MantineProvider>
);

test("another list is shown from its first row", () => {
  const { rerender } = render(table("all", [1, 2, 3]));
  scrollTo.mockReset(); // the first drawing scrolls too
  rerender(table("odd", [1, 3]));
  expect(scrollTo).toHaveBeenCalledWith(expect.objectContaining({ top: 0 }));
});

test("further rows of the same list leave the view where it is", () => {
  const { rerender } = render(table("all", [1, 2, 3]));
  scrollTo.mockReset(); // the first drawing scrolls too
  rerender(table("all", [1, 2, 3, 4]));
  expect(scrollTo).not.toHaveBeenCalled();
});
