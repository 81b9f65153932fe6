/** On the pages of the fleet and of a table: the deletion that starts next, with a link to all that are announced. */
import { Alert, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { PageLink } from "../../parts/links";
import { useNow } from "../../parts/Time";
import { liveQuery, NO_FILTERS } from "./deletionQueries";
import { headline } from "./deletions";

/** `table`: the id of the table; without it those of all tables. Nothing is shown while there is none. */
export function DeletionsNotice({ table = "" }: { table?: string }) {
  const { data } = useQuery(liveQuery({ ...NO_FILTERS, table }));
  const nowMs = useNow(1_000);
  if (data === undefined || data.deletions.length === 0) return null;
  return (
    <Alert color="orange" variant="outline" title="Files or history will be deleted" mb="sm" role="group">
      <Text size="sm" component="div" className="wrap-anywhere">
        {headline(data.deletions, data.isCut, nowMs)}{" "}
        <PageLink to="/deletions" search={table === "" ? {} : { table }} underline="always" inherit>
          See what it deletes, or undo it
        </PageLink>
      </Text>
    </Alert>
  );
}
