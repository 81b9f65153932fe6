/** Why the table is or is not rewritten: the answer in words, then the decision step by step, then its settings. */
import { Button, Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { tableAddress } from "../../../format/addresses";
import { commandLine } from "../../../format/commands";
import { CopyAs } from "../../../parts/CopyAs";
import { RemedyLink } from "../../../parts/Remedy";
import { Answer, Section } from "../../../parts/states";
import { Ago } from "../../../parts/Time";
import { explainQuery, type Table } from "../tableQueries";
import { Conflicts } from "./Conflicts";
import { DecisionTree } from "./DecisionTree";
import { Limits } from "./Limits";
import { Settings } from "./Settings";

export function ExplainTab({ table }: { table: Table }) {
  const query = useQuery(explainQuery(table.id));
  return (
    <Answer query={query} height={700}>
      {(explanation) => (
        <>
          <Section
            title="The answer"
            aside={
              <Group gap="xs" className="no-print">
                <Button size="xs" variant="default" loading={query.isFetching} onClick={() => void query.refetch()}>
                  Explain again
                </Button>
                <CopyAs
                  request={{ method: "GET", path: `/v1/tables/${encodeURIComponent(table.id)}/explain` }}
                  cli={commandLine("packhouse", "explain", tableAddress(table))}
                />
              </Group>
            }
          >
            <div className="card">
              {explanation.summary.map(({ text, code, remedy }) => (
                <p key={text} className="summary-text">
                  {text} {remedy !== null && code === "held_by" && <RemedyLink remedy={remedy} />}
                </p>
              ))}
              <p className="dim" style={{ fontSize: 13, margin: "8px 0 0" }}>
                Explained <Ago at={explanation.explained_at} />
              </p>
            </div>
          </Section>
          <Section title="How it is decided">
            <DecisionTree explanation={explanation} />
          </Section>
          <div className="two-columns">
            <Limits explanation={explanation} />
            <Conflicts conflicts={explanation.conflicts} />
          </div>
          <Settings table={table} settings={explanation.settings} />
        </>
      )}
    </Answer>
  );
}
