/** Search over pages and tables, opened by `/` or Ctrl K. A run's id opens the run. */
import { useDebouncedValue } from "@mantine/hooks";
import { Spotlight, type SpotlightActionData } from "@mantine/spotlight";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { packhouse } from "../api/client";
import { tableAddress } from "../format/addresses";
import { PLACES } from "./places";

const FOUND = 12;

export function Palette() {
  const navigate = useNavigate();
  const [text, setText] = useState("");
  const [wanted] = useDebouncedValue(text.trim(), 200);
  const { data } = useQuery({
    queryKey: ["palette", wanted],
    queryFn: ({ signal }) =>
      packhouse.get("/v1/tables", { params: { query: { search: wanted, page_size: FOUND } }, signal }),
    enabled: wanted.length > 0 && !wanted.startsWith("run_"),
  });
  const pages = PLACES.filter(({ label, about }) => `${label} ${about}`.toLowerCase().includes(text.trim().toLowerCase()));
  const actions: SpotlightActionData[] = [
    ...pages.map(({ to, label, about }) => ({ id: to, label, description: about, onClick: () => void navigate({ to }) })),
    ...(data?.items ?? []).map((table) => ({
      id: table.id,
      label: tableAddress(table),
      description: table.owner_team === null ? "Table" : `Table of team ${table.owner_team}`,
      onClick: () => void navigate({ to: "/tables/$tableId", params: { tableId: table.id } }),
    })),
    ...(/^run_[0-9A-Za-z]+$/.test(wanted)
      ? [{ id: wanted, label: wanted, description: "Run", onClick: () => void navigate({ to: "/runs/$runId", params: { runId: wanted } }) }]
      : []),
  ];
  return (
    <Spotlight
      actions={actions}
      query={text}
      onQueryChange={setText}
      filter={(_query, found) => found}
      shortcut={["mod + K"]}
      nothingFound="Nothing found"
      searchProps={{ placeholder: "Search pages, tables and runs", "aria-label": "Search" }}
      scrollable
      maxHeight={420}
    />
  );
}
