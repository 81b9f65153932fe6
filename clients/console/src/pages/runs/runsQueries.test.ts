import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { expect, test, vi } from "vitest";
import { packhouse } from "../../api/client";
import { NO_FILTERS } from "./FiltersBar";
import type { RunSummary } from "./gantt";
import { timelineQuery } from "./runsQueries";

const run = (id: string) => ({ id }) as RunSummary;

test("the timeline shows its first page while the next one is fetched", async () => {
  let answerSecond = () => {};
  const second = new Promise<void>((resolve) => (answerSecond = resolve));
  const pages = async function* () {
    yield [run("run_b")];
    await second;
    yield [run("run_a")];
  };
  vi.spyOn(packhouse, "list").mockReturnValue({ pages } as never);
  const query = new QueryObserver(new QueryClient(), timelineQuery(NO_FILTERS, "24", () => ({ from: 0, to: 1 })));
  const stop = query.subscribe(() => {});
  const shown = () => query.getCurrentResult().data?.runs.map(({ id }) => id);
  await vi.waitFor(() => expect(shown()).toEqual(["run_b"]));
  expect(query.getCurrentResult().isFetching).toBe(true);
  answerSecond();
  await vi.waitFor(() => expect(shown()).toEqual(["run_b", "run_a"]));
  stop();
});
