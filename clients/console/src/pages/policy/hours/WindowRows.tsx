/** Quiet hours as rows of fields: the same windows as in the grid, for keyboards and for exact times. */
import { Button, Chip, Group, NativeSelect, Text, TextInput } from "@mantine/core";
import { DAY_NAMES, DAYS, described, ON_START, type OnStart, type QuietWindow } from "../logic/windows";

export interface WindowRowsProps {
  readonly value: readonly unknown[];
  readonly windows: readonly QuietWindow[];
  /** Error of a window, by its place in the list. */
  readonly errorOf: (index: number) => string | null;
  readonly isReadOnly: boolean;
  readonly onField: (index: number, name: string, value: unknown) => void;
  readonly onRemove: (index: number) => void;
}

export function WindowRows({ value, windows, errorOf, isReadOnly, onField, onRemove }: WindowRowsProps) {
  return (
    <ul className="policy-rows" aria-label="Windows">
      {value.map((raw, index) => (
        <WindowRow
          key={index}
          index={index}
          raw={raw !== null && typeof raw === "object" ? (raw as Record<string, unknown>) : {}}
          window={windows.find((each) => each.index === index)}
          error={errorOf(index)}
          isReadOnly={isReadOnly}
          onField={(name, next) => onField(index, name, next)}
          onRemove={() => onRemove(index)}
        />
      ))}
    </ul>
  );
}

interface RowProps {
  index: number;
  raw: Record<string, unknown>;
  window: QuietWindow | undefined;
  error: string | null;
  isReadOnly: boolean;
  onField: (name: string, value: unknown) => void;
  onRemove: () => void;
}

function WindowRow({ index, raw, window, error, isReadOnly, onField, onRemove }: RowProps) {
  const days = Array.isArray(raw.days) ? raw.days.map(String) : [...DAYS];
  const text = (name: string) => (typeof raw[name] === "string" ? (raw[name] as string) : "");
  const onStart = (text("on_start") || "drain") as OnStart;
  const setDays = (next: string[]) => {
    if (next.length > 0) onField("days", next.length === 7 ? undefined : DAYS.filter((day) => next.includes(day)));
  };
  const name = window === undefined ? `Window ${index + 1} is not complete` : described(window);
  const meaning = ON_START[onStart] ?? "Unknown word: use drain, interrupt or finish.";
  if (isReadOnly) {
    return (
      <li>
        <Text size="sm" fw={600} className="wrap-anywhere">
          {name}
        </Text>
        <Text size="sm">
          {onStart}: {meaning}
        </Text>
      </li>
    );
  }
  return (
    <li>
      <Text size="sm" fw={600} className="wrap-anywhere">
        {name}
      </Text>
      <Chip.Group multiple value={days} onChange={setDays}>
        <Group gap={4} my={4} role="group" aria-label={`Window ${index + 1}: days on which it begins`}>
          {DAYS.map((day) => (
            <Chip key={day} value={day} size="xs" aria-label={DAY_NAMES[day]}>
              {DAY_NAMES[day].slice(0, 3)}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
      <Group gap="xs" align="flex-end">
        {(["from", "to"] as const).map((end) => (
          <TextInput
            key={end}
            id={end === "from" ? `policy-window-${index}` : undefined}
            size="xs"
            w={80}
            maxLength={5}
            placeholder="HH:MM"
            label={end === "from" ? "From" : "To"}
            value={text(end)}
            onChange={({ currentTarget }) => onField(end, currentTarget.value)}
          />
        ))}
        <TextInput
          size="xs"
          label="Time zone"
          list="policy-zones"
          placeholder="UTC"
          value={text("time_zone")}
          onChange={({ currentTarget }) => onField("time_zone", currentTarget.value === "" ? undefined : currentTarget.value)}
        />
        <NativeSelect
          size="xs"
          label="A rewrite that runs then"
          data={Object.keys(ON_START)}
          value={onStart}
          onChange={({ currentTarget }) => onField("on_start", currentTarget.value === "drain" ? undefined : currentTarget.value)}
        />
        <Button size="xs" variant="default" onClick={onRemove} aria-label={`Remove window ${index + 1}`}>
          Remove
        </Button>
      </Group>
      <Text size="xs" c="dimmed" mt={4}>
        {meaning}
      </Text>
      {error !== null && (
        <Text size="xs" c="var(--mantine-color-error)" className="wrap-anywhere">
          {error}
        </Text>
      )}
    </li>
  );
}
