/** All runs: those at work, the history with filters, and the same on a time axis. */
import { SegmentedControl } from "@mantine/core";
import { useMemo } from "react";
import { commandLine } from "../../format/commands";
import { CopyAs } from "../../parts/CopyAs";
import { PageHead } from "../../parts/states";
import { useUrlState } from "../../parts/useUrlState";
import { ActiveRuns } from "./ActiveRuns";
import { type Filters, pathOf, wordsOf } from "./filters";
import { FiltersBar, NO_FILTERS } from "./FiltersBar";
import { RunsList } from "./RunsList";
import { SubmitRun } from "./SubmitRun";
import { Timeline } from "./Timeline";
import "./runs.css";

export const SEARCH = { ...NO_FILTERS, view: "list", hours: "24" };

export default function RunsPage() {
  const [state, change] = useUrlState<Record<keyof typeof SEARCH, string | readonly string[]>>(SEARCH);
  const { view, hours, ...given } = state;
  const filters = given as unknown as Filters;
  const filterKey = JSON.stringify(filters);
  // eslint-disable-next-line react-hooks/exhaustive-deps -- `filterKey` stands for `filters`
  const kept = useMemo(() => filters, [filterKey]);
  const clear = () => change(NO_FILTERS as never);
  return (
    <>
      <PageHead title="Runs" sub="Rewrites and upkeep of all tables, newest first">
        <SegmentedControl
          size="xs"
          aria-label="View"
          value={view === "timeline" ? "timeline" : "list"}
          onChange={(value) => change({ view: value }, { push: true })}
          data={[
            { value: "list", label: "List" },
            { value: "timeline", label: "Timeline" },
          ]}
        />
        <CopyAs request={{ method: "GET", path: pathOf(kept) }} cli={commandLine(wordsOf(kept))} />
        <SubmitRun />
      </PageHead>
      <FiltersBar filters={kept} onChange={(patch) => change(patch as never)} />
      {view === "timeline" ? (
        <Timeline filters={kept} hours={String(hours)} onChange={(patch) => change(patch as never)} />
      ) : (
        <>
          <ActiveRuns filters={kept} />
          <RunsList filters={kept} onClear={clear} />
        </>
      )}
    </>
  );
}
