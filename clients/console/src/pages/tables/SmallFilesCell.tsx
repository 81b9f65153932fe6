/** Small files of one row: the newest count and a line of the last measurements. */
import { useQuery } from "@tanstack/react-query";
import { count } from "../../format/sizes";
import { Sparkline } from "../../parts/Sparkline";
import { type FleetTable, smallFilesQuery } from "./tablesQueries";

export function SmallFilesCell({ table }: { table: FleetTable }) {
  const { data } = useQuery(smallFilesQuery(table.table_id, table.measured_at));
  return (
    <span className="tables-small">
      <span className="tables-small-count">{count(table.small_file_count)}</span>
      {data !== undefined && data.length > 1 ? <Sparkline values={data} label="Small files" /> : <span className="tables-spark" />}
    </span>
  );
}
