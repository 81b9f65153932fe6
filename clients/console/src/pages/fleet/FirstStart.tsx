/** The fleet without a table: the way from nothing to the first rewrite. */
import { Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { catalogNamesQuery, useRole } from "../../api/queries";
import { ButtonLink, PageLink } from "../../parts/links";
import { Answer } from "../../parts/states";

export function FirstStart() {
  const query = useQuery(catalogNamesQuery);
  return (
    <Answer query={query} height={400}>
      {([first = null]) => <Steps catalog={first} />}
    </Answer>
  );
}

function Steps({ catalog }: { catalog: string | null }) {
  const { role, has } = useRole();
  return (
    <section aria-label="First steps">
      <Title order={2} size="h3" ta="center" mb="xs">
        No table is registered yet
      </Title>
      <Text c="dimmed" ta="center" mb="lg" maw={640} mx="auto">
        Packhouse merges the small files of the tables that you register. It begins with their measurement; nothing is rewritten
        before you have seen the plan, if you register tables as paused.
      </Text>
      <ol className="first-steps">
        <li>
          <div>
            <Text fw={600}>Connect a catalog{catalog === null ? "" : ": done"}</Text>
            <Text size="sm" mb="xs">
              A catalog is the connection that lists your tables: REST, SQL, Glue, Hive. Its check shows each step, and what to fix.
            </Text>
            {catalog === null ? (
              <ButtonLink to="/catalogs" search={{ create: "yes" }} size="xs">
                Create a catalog
              </ButtonLink>
            ) : (
              <PageLink to="/catalogs/$name" params={{ name: catalog }} size="sm">
                Open the catalog <bdi>{catalog}</bdi>
              </PageLink>
            )}
          </div>
        </li>
        <li>
          <div>
            <Text fw={600}>Register tables</Text>
            <Text size="sm" mb="xs">
              Discover lists the tables of the catalog, and registers those that you choose, many at once.
            </Text>
            {catalog !== null && (
              <ButtonLink to="/catalogs/$name" params={{ name: catalog }} search={{ part: "discover" }} size="xs">
                Discover tables
              </ButtonLink>
            )}{" "}
            <PageLink to="/tables" size="sm">
              Or register one by its name
            </PageLink>
          </div>
        </li>
        <li>
          <div>
            <Text fw={600}>Look at a table</Text>
            <Text size="sm">
              Its page shows its health, what a run would do, and why it does or does not start. The first automatic run waits 15
              minutes, so that you can set a policy.
            </Text>
          </div>
        </li>
      </ol>
      {role !== undefined && !has("admin") && (
        <Text size="sm" c="dimmed" ta="center" mt="lg">
          Your role is {role}: an admin creates catalogs, and grants their namespaces to your team. Tables of other teams are not shown to you.
        </Text>
      )}
    </section>
  );
}
