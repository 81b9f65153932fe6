/** What to do when the list of tables is empty. */
import { Button, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { ButtonLink, PageLink } from "../../parts/links";
import { Empty } from "../../parts/states";
import { catalogsQuery } from "./tablesQueries";

export function NoTables({ isFiltered, onReset }: { isFiltered: boolean; onReset: () => void }) {
  const { data } = useQuery(catalogsQuery);
  if (isFiltered) {
    return (
      <Empty title="No table matches">
        <Text>Take a filter out, or search for a shorter part of the address.</Text>
        <Button mt="sm" variant="default" onClick={onReset}>
          Clear filters
        </Button>
      </Empty>
    );
  }
  if (data !== undefined && data.items.length === 0) {
    return (
      <Empty title="No catalogs yet">
        <Text>A catalog is the connection to your tables. Create one, then discover its tables.</Text>
        <ButtonLink mt="sm" to="/catalogs">
          Go to catalogs
        </ButtonLink>
      </Empty>
    );
  }
  return (
    <Empty title="No tables yet">
      <Text>Discover the tables of a catalog and register those that Packhouse should watch. Nothing in them changes by that.</Text>
      <Group justify="center" mt="sm">
        {(data?.items ?? []).slice(0, 10).map(({ name }) => (
          <PageLink key={name} to="/catalogs/$name" params={{ name }} search={{ part: "discover" }} underline="always" className="wrap-anywhere">
            Discover tables of {name}
          </PageLink>
        ))}
      </Group>
    </Empty>
  );
}
