/** On the fleet's page: what does not answer, and what waits for it. Nothing is shown while all is in order. */
import { Alert, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { PageLink } from "../../parts/links";
import { systemQuery, notInOrder } from "./systemQueries";

/** The most sentences that are shown; the page has all. */
const MOST = 3;

export function SystemNotice() {
  const { data } = useQuery(systemQuery);
  const found = data === undefined ? [] : notInOrder(data);
  if (found.length === 0) return null;
  return (
    <Alert color="red" variant="outline" title="Something does not work" mb="sm" role="alert">
      {found.slice(0, MOST).map(({ kind, name, text }) => (
        <Text key={`${kind} ${name}`} size="sm" className="wrap-anywhere">
          {text}
        </Text>
      ))}
      <PageLink to="/system" underline="always" size="sm">
        {found.length > MOST ? `See this and ${found.length - MOST} more` : "See the state of the system"}
      </PageLink>
    </Alert>
  );
}
