/** The way to a new run: choose the table; its page then shows the plan before anything starts. */
import { Modal, Text, TextInput } from "@mantine/core";
import { useDebouncedValue, useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Schemas } from "../../api/client";
import { tableAddress } from "../../format/addresses";
import { RoleButton } from "../../parts/actions";
import { PageLink } from "../../parts/links";
import { Answer, Empty } from "../../parts/states";
import { searchTablesQuery } from "./runsQueries";

const SHOWN = 20;

export function SubmitRun() {
  const [isOpen, { open, close }] = useDisclosure(false);
  return (
    <>
      <RoleButton needs="operator" size="xs" onClick={open}>
        Submit a run
      </RoleButton>
      <Modal opened={isOpen} onClose={close} title="Submit a run: choose the table" closeButtonProps={{ "aria-label": "Close" }}>
        <Choice />
      </Modal>
    </>
  );
}

function Choice() {
  const [text, setText] = useState("");
  const [settled] = useDebouncedValue(text.trim(), 250);
  const query = useQuery(searchTablesQuery(settled));
  return (
    <>
      <TextInput label="Table" description="A part of its address" placeholder="sales.orders" value={text} onChange={(event) => setText(event.currentTarget.value)} data-autofocus mb="sm" />
      <Answer query={query} height={260}>
        {(tables) => <Found tables={tables} text={settled} />}
      </Answer>
    </>
  );
}

function Found({ tables, text }: { tables: readonly Schemas["Table"][]; text: string }) {
  const wanted = text.toLowerCase();
  const found = tables.filter((table) => tableAddress(table).toLowerCase().includes(wanted)).slice(0, SHOWN);
  if (found.length === 0) {
    return (
      <Empty title={text === "" ? "No table is registered" : "No table fits"}>
        {text === "" ? (
          <PageLink to="/tables">
            Register a table first
          </PageLink>
        ) : (
          "Type another part of the address, such as the namespace."
        )}
      </Empty>
    );
  }
  return (
    <>
      <ul className="choices" aria-label="Tables found">
        {found.map((table) => (
          <li key={table.id}>
            <PageLink to="/tables/$tableId" params={{ tableId: table.id }} search={{ dialog: "run" }} className="cut" title={tableAddress(table)}>
              {tableAddress(table)}
            </PageLink>
          </li>
        ))}
      </ul>
      <Text size="xs" c="dimmed">
        The table's page shows the plan of the run first: groups, files, bytes and time. Nothing starts before you confirm it.
      </Text>
    </>
  );
}
