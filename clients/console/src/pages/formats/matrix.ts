/** The capability matrix: operations and strategies by engine, for one format. */
import type { Schemas } from "../../api/client";

type Cell = Schemas["Cell"];
export interface MatrixRow {
  readonly operation: string;
  readonly strategy: string | null;
  /** By engine; the key "" is an operation that has no choice of engine. */
  readonly cells: ReadonlyMap<string, Cell>;
}

/** Return the engines of the cells, in their order. */
export const enginesOf = (cells: readonly Cell[]): string[] => [...new Set(cells.flatMap(({ engine }) => (engine === null ? [] : [engine])))];

/** Return one row for each operation and strategy, in the order of the cells. */
export function matrixRows(cells: readonly Cell[]): MatrixRow[] {
  const rows = new Map<string, { operation: string; strategy: string | null; cells: Map<string, Cell> }>();
  for (const cell of cells) {
    const key = JSON.stringify([cell.operation, cell.strategy]);
    const row = rows.get(key) ?? { operation: cell.operation, strategy: cell.strategy, cells: new Map<string, Cell>() };
    row.cells.set(cell.engine ?? "", cell);
    rows.set(key, row);
  }
  return [...rows.values()];
}

/** Return the one reason why nothing of a format is possible; null when something is, or the reasons differ. */
export function commonReason(cells: readonly Cell[]): string | null {
  const reasons = new Set(cells.map(({ possible, reason }) => (possible ? null : reason)));
  const [only] = reasons;
  return reasons.size === 1 ? (only ?? null) : null;
}
