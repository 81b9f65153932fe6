import { expect, test } from "vitest";
import { actOnEach, gate, type Outcome } from "./limited";

const pause = () => new Promise((resolve) => setTimeout(resolve, 1));

test("a gate lets at most so many tasks run, and goes on after a failure", async () => {
  const enter = gate(2);
  let [running, most] = [0, 0];
  const task = async () => {
    most = Math.max(most, ++running);
    await pause();
    running -= 1;
  };
  const failing = enter(() => Promise.reject(new Error("no")));
  await Promise.all([expect(failing).rejects.toThrow("no"), ...Array.from({ length: 9 }, () => enter(task))]);
  expect(most).toBe(2);
});

test("a task that was given up while it waited is not run", async () => {
  const enter = gate(1);
  const given = new AbortController();
  const first = enter(pause);
  const second = enter(() => Promise.resolve("ran"), given.signal);
  given.abort();
  await first;
  await expect(second).rejects.toThrow();
  await expect(enter(() => Promise.resolve("next"))).resolves.toBe("next");
});

test("one failure stops no other item, and each outcome is reported", async () => {
  const outcomes: Outcome<number>[] = [];
  const act = async (item: number) => {
    await pause();
    if (item === 3) throw new Error("three");
  };
  await actOnEach([1, 2, 3, 4, 5], act, (outcome) => outcomes.push(outcome), { most: 2 });
  expect(outcomes.map(({ item }) => item).sort()).toEqual([1, 2, 3, 4, 5]);
  expect(outcomes.filter(({ ok }) => !ok).map(({ item }) => item)).toEqual([3]);
});

test("nothing further is begun after it is stopped", async () => {
  const stop = new AbortController();
  const seen: number[] = [];
  const act = (item: number) => {
    seen.push(item);
    if (item === 2) stop.abort();
    return pause();
  };
  await actOnEach([1, 2, 3, 4], act, () => undefined, { most: 1, signal: stop.signal });
  expect(seen).toEqual([1, 2]);
});
