/** Days of the next 12 months on which the clock of the zone changes, and what that does to each window. */
import { List, Text } from "@mantine/core";
import { effectsOf, type QuietWindow } from "../logic/windows";
import { type OffsetChange, wallClock, wallDate } from "../logic/zones";

export function ClockChanges({ changes, windows, zone }: { changes: readonly OffsetChange[]; windows: readonly QuietWindow[]; zone: string }) {
  if (changes.length === 0) return <Text size="sm">The clock of {zone} does not change within the next 12 months.</Text>;
  return (
    <>
      <Text size="sm" fw={600}>
        Changes of the clock in {zone} within the next 12 months
      </Text>
      <List size="sm" type="ordered">
        {changes.map((change) => {
          const effects = effectsOf(windows, zone, change);
          return (
            <List.Item key={change.at}>
              <b>{wallDate(change.from)}</b>: {changeText(change)}
              {effects.length === 0 ? " No window is affected." : effects.map((effect) => ` ${effect}`)}
            </List.Item>
          );
        })}
      </List>
    </>
  );
}

/** Describe a change of the clock. */
export function changeText({ kind, from, to }: OffsetChange): string {
  const hour = `${wallClock(from)} to ${wallClock(to)}`;
  return kind === "skipped"
    ? `${hour} does not exist. A window that begins in it begins at ${wallClock(to)}.`
    : `${hour} occurs twice, and a window is in it both times.`;
}
