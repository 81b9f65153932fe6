/** Whether writers of the table should slow down, and why. */
import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Badge } from "../../../parts/badges";
import { Answer } from "../../../parts/states";
import { Ago } from "../../../parts/Time";
import { backpressureQuery, type Table } from "../tableQueries";

export function Backpressure({ table }: { table: Table }) {
  const query = useQuery(backpressureQuery(table.id));
  return (
    <Answer query={query} height={80}>
      {({ slow_down: isSlow, reason, since, until }) => (
        <>
          <Badge tone={isSlow ? "warn" : "good"}>{isSlow ? "writers should slow down" : "writers may go on"}</Badge>
          <Text size="sm" mt="xs" className="wrap-anywhere">
            {reason}
            {since !== null && (
              <>
                {" "}
                (since <Ago at={since} />
                {until !== null && (
                  <>
                    , ends <Ago at={until} />
                  </>
                )}
                )
              </>
            )}
          </Text>
        </>
      )}
    </Answer>
  );
}
