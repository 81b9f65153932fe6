/** What each table format supports: operation by strategy and engine, with the reason for each no. */
import { Code, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { Schemas } from "../../api/client";
import { commandLine } from "../../format/commands";
import { Badge } from "../../parts/badges";
import { CopyAs } from "../../parts/CopyAs";
import { Answer, Empty, PageHead, Section } from "../../parts/states";
import { formatsQuery } from "../catalogs/catalogQueries";
import "./formats.css";
import { commonReason, enginesOf, type MatrixRow, matrixRows } from "./matrix";

export default function FormatsPage() {
  const query = useQuery(formatsQuery);
  return (
    <>
      <PageHead title="Formats" sub="Operations that this version supports for tables of each format">
        <CopyAs request={{ method: "GET", path: "/v1/formats" }} cli={commandLine("packhouse", "formats")} />
      </PageHead>
      <Answer query={query} height={600}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="The server names no format">Ask the operator of the server: its version may be incomplete.</Empty>
          ) : (
            [...items].sort((one, other) => Number(other.served) - Number(one.served)).map((format) => <FormatSection key={format.format} format={format} />)
          )
        }
      </Answer>
    </>
  );
}

function FormatSection({ format }: { format: Schemas["Format"] }) {
  const reason = commonReason(format.capabilities);
  return (
    <Section title={format.format} aside={<Badge tone={format.served ? "good" : "quiet"}>{format.served ? "served" : "not served"}</Badge>}>
      {reason !== null ? (
        <Text size="sm">Nothing is possible yet, for each operation, strategy and engine: {reason}.</Text>
      ) : (
        <Matrix format={format} />
      )}
      {format.refused_settings.length > 0 && <RefusedSettings settings={format.refused_settings} />}
    </Section>
  );
}

function Matrix({ format }: { format: Schemas["Format"] }) {
  const engines = enginesOf(format.capabilities);
  return (
    <div className="rows matrix" tabIndex={0} role="region" aria-label={`Capabilities of ${format.format}`}>
      <table>
        <caption className="visually-hidden">Capabilities of {format.format}</caption>
        <thead>
          <tr>
            <th scope="col">Operation</th>
            <th scope="col">Strategy</th>
            {engines.map((engine) => (
              <th key={engine} scope="col">
                Engine {engine}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {matrixRows(format.capabilities).map((row) => (
            <Row key={`${row.operation} ${row.strategy ?? ""}`} row={row} engines={engines} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ row, engines }: { row: MatrixRow; engines: readonly string[] }) {
  const whole = row.cells.get("");
  return (
    <tr>
      <th scope="row">{row.operation.replaceAll("_", " ")}</th>
      <td>{row.strategy ?? "–"}</td>
      {whole === undefined ? (
        engines.map((engine) => (
          <td key={engine}>
            <Possible cell={row.cells.get(engine)} />
          </td>
        ))
      ) : (
        <td colSpan={Math.max(1, engines.length)}>
          <Possible cell={whole} /> <span className="dim">no choice of engine</span>
        </td>
      )}
    </tr>
  );
}

function Possible({ cell }: { cell: Schemas["Cell"] | undefined }) {
  if (cell === undefined) return <>–</>;
  if (cell.possible) return <Badge tone="good">yes</Badge>;
  return (
    <>
      <Badge tone="quiet">no</Badge> <span>{cell.reason}</span>
    </>
  );
}

function RefusedSettings({ settings }: { settings: readonly Schemas["RefusedSetting"][] }) {
  return (
    <>
      <Text size="sm" mt="sm" fw={600}>
        Settings that policies of such tables can't have
      </Text>
      <ul>
        {settings.map(({ setting, value, reason }) => (
          <li key={`${setting} ${value}`}>
            <Text size="sm" component="span">
              <Code>{setting}</Code> {value === "*" ? "with any value" : <Code>{value}</Code>}: {reason}
            </Text>
          </li>
        ))}
      </ul>
    </>
  );
}
