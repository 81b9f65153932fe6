/** The steps of a connection check, each with what was found and, where one failed, what to look at. */
import { Text } from "@mantine/core";
import type { Schemas } from "../../api/client";
import { Badge } from "../../parts/badges";
import { PageLink } from "../../parts/links";
import "./catalogs.css";

const STEPS: Readonly<Record<string, { text: string; remedy: string }>> = {
  secrets: { text: "Read the secrets", remedy: "Set the variable or file on every server and worker, and restart them if it is a variable." },
  properties: { text: "Look at the properties", remedy: "Correct the name of the property; the text names a likely one." },
  open_catalog: { text: "Open the catalog", remedy: "Check the address, the network between, and the credentials." },
  connection: { text: "Connect", remedy: "Check the address, the network between, and the credentials." },
  list_databases: { text: "List databases", remedy: "The credentials need the right to list databases." },
  list_namespaces: { text: "List namespaces", remedy: "The credentials need the right to list namespaces." },
  list_tables: { text: "List tables", remedy: "The credentials need the right to list tables." },
  write_file: { text: "Write and delete a file", remedy: "The credentials need the right to write and delete files beside the table's metadata." },
  take_lock: { text: "Take the lock of a table", remedy: "Commits hold this lock: the credentials need the right to take it, and the catalog its tables of locks." },
  may_commit: { text: "Ask for the right to commit", remedy: "The credentials need the right to commit to tables; dry runs and plans work without it." },
  spark_catalog: { text: "Compare with Spark's catalogs", remedy: "Only Iceberg's own procedures need it: rewrites by the kernel do not." },
  read_table: { text: "Read a table", remedy: "Check the storage's properties (endpoint, region, keys): the catalog answers, its files can't be read." },
};

export function CheckSteps({ check, catalog }: { check: Schemas["CatalogCheck"]; catalog: string }) {
  return (
    <div role="status">
      <ol className="check-steps">
        {check.steps.map((step) => (
          <li key={step.name}>
            <Badge tone={step.ok ? "good" : "bad"}>{step.ok ? "good" : "failed"}</Badge>
            <div>
              <Text size="sm" fw={600}>
                {STEPS[step.name]?.text ?? step.name.replaceAll("_", " ")}
              </Text>
              <Text size="sm" className="wrap-anywhere">
                {step.detail}
              </Text>
              {!step.ok && <Text size="sm" fw={500}>{STEPS[step.name]?.remedy ?? "Correct it, and check again."}</Text>}
            </div>
          </li>
        ))}
      </ol>
      {check.ok ? (
        <Text size="sm">
          The connection works.{" "}
          <PageLink to="/catalogs/$name" params={{ name: catalog }} search={{ part: "discover" }} size="sm" underline="always">
            Discover its tables
          </PageLink>
        </Text>
      ) : (
        <Text size="sm">The steps after the failed one were not tried.</Text>
      )}
    </div>
  );
}
