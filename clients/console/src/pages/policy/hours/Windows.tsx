/** Quiet hours and blackouts of the draft, or those that it inherits. */
import { Button, Group, NativeSelect, Stack, Text } from "@mantine/core";
import { useMemo } from "react";
import { Badge } from "../../../parts/badges";
import { Section } from "../../../parts/states";
import { useNow } from "../../../parts/Time";
import { type Path, valueAt } from "../logic/schema";
import { contains, described, type QuietWindow, windowsOf, windowValue } from "../logic/windows";
import { changesOf, isZone, wallAt } from "../logic/zones";
import type { Inherited } from "../form/inheritance";
import type { Mark } from "../marks";
import type { Draft } from "../useDraft";
import { Blackouts } from "./Blackouts";
import { ClockChanges } from "./ClockChanges";
import { WeekGrid } from "./WeekGrid";
import { WindowRows } from "./WindowRows";

const DAY = 86_400_000;

export interface WindowsProps {
  readonly draft: Draft;
  readonly marks: readonly Mark[];
  readonly isReadOnly: boolean;
  readonly inherited: { quiet_hours: Inherited | null; blackouts: Inherited | null };
  /** Zone of the grid from the address; empty: the zone of the first window. */
  readonly zone: string;
  readonly onZone: (zone: string) => void;
}

export function Windows({ draft, marks, isReadOnly, inherited, zone: chosen, onZone }: WindowsProps) {
  const now = useNow(30_000);
  const quiet = listOf(draft, "quiet_hours", inherited.quiet_hours, marks);
  const black = listOf(draft, "blackouts", inherited.blackouts, marks);
  const windows = windowsOf(quiet.items);
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const zone = isZone(chosen) ? chosen : (windows[0]?.zone ?? "UTC");
  const zones = [...new Set([zone, ...windows.map((window) => window.zone), "UTC", own])];
  const today = Math.floor(now / DAY) * DAY;
  const changes = useMemo(() => changesOf(zone, today, today + 365 * DAY), [zone, today]);
  const holding = windows.filter((window) => contains(window, now));
  const isLocked = isReadOnly || draft.parsed.fault !== null;
  const replace = (window: QuietWindow) => {
    if (!quiet.isSet) return;
    const value = windowValue(window);
    draft.change(...(["days", "from", "to"] as const).map((name) => [["quiet_hours", window.index, name] as Path, value[name]] as const));
  };
  return (
    <>
      <Section title="Quiet hours" aside={<Origin list={quiet} isReadOnly={isLocked} />}>
        <Stack gap="sm">
          <Group justify="space-between" align="flex-end">
            <Text size="sm" role="status">
              {holding.length === 0 ? "No window holds now." : `Quiet now: ${holding.map(described).join("; ")}.`}
              {isLocked ? "" : " Draw with the mouse to add a window, drag one to move it; the fields do the same."}
            </Text>
            <NativeSelect size="xs" label="Time zone of the grid" data={zones} value={zone} onChange={({ currentTarget }) => onZone(currentTarget.value)} />
          </Group>
          <div className="policy-hours">
            <WeekGrid
              {...{ windows, zone, now, changes }}
              isInherited={!quiet.isSet}
              isReadOnly={isLocked}
              onAdd={(window) => quiet.add(windowValue(window))}
              onMove={replace}
              onPick={(index) => document.getElementById(`policy-window-${index}`)?.focus()}
            />
            <Stack gap="sm">
              {windows.some((window) => window.zone !== zone) && (
                <Text size="xs" c="dimmed">
                  Dashed windows are of another time zone, drawn at the difference of today.
                </Text>
              )}
              {quiet.isSet && (
                <WindowRows value={quiet.items} windows={windows} errorOf={quiet.errorOf} isReadOnly={isLocked} onField={quiet.field} onRemove={quiet.remove} />
              )}
              {!isLocked && (
                <Group>
                  <Button size="xs" variant="default" onClick={() => quiet.add({ days: ["mon", "tue", "wed", "thu", "fri"], from: "09:00", to: "17:00", time_zone: zone })}>
                    Add a window
                  </Button>
                </Group>
              )}
              <ClockChanges {...{ changes, windows, zone }} />
            </Stack>
          </div>
        </Stack>
      </Section>
      <Section title="Blackouts" aside={<Origin list={black} isReadOnly={isLocked} />}>
        <Blackouts
          value={black.items}
          now={now}
          isInherited={!black.isSet}
          isReadOnly={isLocked}
          errorOf={black.errorOf}
          onField={black.field}
          onRemove={black.remove}
          onAdd={() => black.add({ from: dateIn(zone, now, 1), to: dateIn(zone, now, 2), time_zone: zone, reason: "freeze" })}
        />
      </Section>
    </>
  );
}

const dateIn = (zone: string, now: number, days: number) => new Date(wallAt(zone, now) + days * DAY).toISOString().slice(0, 10);

interface List {
  readonly name: string;
  readonly items: readonly unknown[];
  readonly isSet: boolean;
  readonly origin: string | null;
  readonly inheritedCount: number;
  errorOf(index: number): string | null;
  add(item: unknown): void;
  field(index: number, name: string, value: unknown): void;
  remove(index: number): void;
  set(items: readonly unknown[] | undefined): void;
}

/** A list of the draft that is replaced as a whole: adding to an inherited list copies it first. */
function listOf(draft: Draft, name: string, inherited: Inherited | null, marks: readonly Mark[]): List {
  const given = valueAt(draft.value, [name]);
  const below = Array.isArray(inherited?.value) ? inherited.value : [];
  const items: readonly unknown[] = Array.isArray(given) ? given : below;
  const set = (next: readonly unknown[] | undefined) => draft.change([[name], next]);
  return {
    name,
    items,
    isSet: Array.isArray(given),
    origin: inherited?.origin ?? null,
    inheritedCount: below.length,
    errorOf: (index) => marks.find((mark) => mark.name === `${name}.${index}` || mark.name.startsWith(`${name}.${index}.`))?.message ?? null,
    add: (item) => (Array.isArray(given) ? draft.change([[name, given.length], item]) : set([...below, item])),
    field: (index, field, value) => draft.change([[name, index, field], value]),
    remove: (index) => set(items.filter((_, place) => place !== index)),
    set,
  };
}

function Origin({ list, isReadOnly }: { list: List; isReadOnly: boolean }) {
  return (
    <Group gap="xs">
      <Badge tone={list.isSet ? "busy" : "quiet"}>{list.isSet ? "set here" : "inherited"}</Badge>
      {!list.isSet && list.origin !== null && <Text size="sm" c="dimmed">from {list.origin}</Text>}
      {!isReadOnly && list.isSet && (
        <Button size="compact-xs" variant="default" onClick={() => list.set(undefined)} aria-label={`Inherit again: ${list.name}`}>
          Inherit again
        </Button>
      )}
      {!isReadOnly && !list.isSet && list.inheritedCount > 0 && (
        <Button size="compact-xs" variant="default" onClick={() => list.set(list.items)}>
          Set here, beginning with these
        </Button>
      )}
      {!isReadOnly && !list.isSet && (
        <Button size="compact-xs" variant="default" onClick={() => list.set([])}>
          Set to none
        </Button>
      )}
    </Group>
  );
}
