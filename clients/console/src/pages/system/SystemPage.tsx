/** Whether Packhouse itself works: its parts, what they depend on, and which runs wait because something is away. */
import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { Schemas } from "../../api/client";
import { commandLine } from "../../format/commands";
import { Badge } from "../../parts/badges";
import { CopyAs } from "../../parts/CopyAs";
import { RemedyLink } from "../../parts/Remedy";
import { Answer, PageHead } from "../../parts/states";
import { Time } from "../../parts/Time";
import { systemQuery, notInOrder } from "./systemQueries";
import "./system.css";

type Component = Schemas["SystemComponent"];

const TONES: Readonly<Record<Component["state"], "good" | "warn" | "bad">> = { ok: "good", failing: "warn", away: "bad" };

function Components({ components }: { components: readonly Component[] }) {
  return (
    <div className="rows components" tabIndex={0} role="region" aria-label="Components">
      <table>
        <caption className="visually-hidden">Components</caption>
        <thead>
          <tr>
            {["Component", "State", "Since", "Runs waiting", "What it means"].map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {components.map((component) => (
            <tr key={`${component.kind} ${component.name}`}>
              <th scope="row" className="wrap-anywhere">
                {component.kind} {component.name}
              </th>
              <td>
                <Badge tone={TONES[component.state] ?? "quiet"}>{component.state}</Badge>
              </td>
              <td>{component.since === null ? "–" : <Time at={component.since} />}</td>
              <td>{component.waiting_runs === 0 ? "–" : component.waiting_runs}</td>
              <td className="meaning">
                <Meaning component={component} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Meaning({ component: { text, detail, state, next_probe_at: next, remedy } }: { component: Component }) {
  return (
    <span className="wrap-anywhere">
      {text}
      {detail !== "" && <span className="dim"> {state === "ok" ? detail : `Last error: ${detail}.`}</span>}
      {next !== null && (
        <span className="dim">
          {" "}
          Asked again <Time at={next} />.
        </span>
      )}{" "}
      {remedy !== null && <RemedyLink remedy={remedy} />}
    </span>
  );
}

export default function SystemPage() {
  const query = useQuery(systemQuery);
  return (
    <>
      <PageHead title="System" sub={query.data === undefined ? "Packhouse and what it depends on" : headline(query.data)}>
        <CopyAs request={{ method: "GET", path: "/v1/system" }} cli={commandLine("packhouse", "status")} />
      </PageHead>
      <Answer query={query} height={500}>
        {(system) => (
          <>
            <Components components={system.components} />
            <Text size="sm" c="dimmed" mt="sm" className="wrap-anywhere">
              Packhouse {system.build.version}
              {system.build.revision !== "" && `, commit ${system.build.revision.slice(0, 12)}`}; supports the database's schema up to {system.build.schema_version}
            </Text>
            {system.omitted_count > 0 && (
              <Text size="sm" mt="sm">
                {system.omitted_count} more outages are not shown.
              </Text>
            )}
          </>
        )}
      </Answer>
    </>
  );
}

function headline(system: Schemas["System"]): string {
  const count = notInOrder(system).length;
  if (count === 0) return "Everything that is known works";
  return count === 1 ? "One component is not in order" : `${String(count)} components are not in order`;
}
