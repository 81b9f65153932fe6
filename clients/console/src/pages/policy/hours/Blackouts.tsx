/** Blackouts: windows that come once. Those of the next weeks first, then fields for all of them. */
import { Button, Group, List, NativeSelect, Text, TextInput } from "@mantine/core";
import { localTime } from "../../../format/times";
import { Ago } from "../../../parts/Time";
import { blackoutsOf, upcoming } from "../logic/blackouts";
import { ON_START } from "../logic/windows";

const WEEKS = 8;

export interface BlackoutsProps {
  readonly value: readonly unknown[];
  readonly now: number;
  readonly isInherited: boolean;
  readonly isReadOnly: boolean;
  readonly errorOf: (index: number) => string | null;
  readonly onField: (index: number, name: string, value: unknown) => void;
  readonly onRemove: (index: number) => void;
  readonly onAdd: () => void;
}

export function Blackouts({ value, now, isInherited, isReadOnly, errorOf, onField, onRemove, onAdd }: BlackoutsProps) {
  const next = upcoming(blackoutsOf(value), now, WEEKS);
  return (
    <>
      <Text size="sm">{next.length === 0 ? `No blackout within the next ${WEEKS} weeks.` : `Blackouts of the next ${WEEKS} weeks:`}</Text>
      {next.length > 0 && (
        <List size="sm" aria-label="Blackouts of the next weeks">
          {next.map(({ index, reason, start, end, onStart }) => (
            <List.Item key={index} className="wrap-anywhere">
              {reason}: {localTime(start)} to {localTime(end)} of your time, {start <= now ? "holds now, ends" : "begins"}{" "}
              <Ago at={new Date(start <= now ? end : start).toISOString()} />, {onStart}
            </List.Item>
          ))}
        </List>
      )}
      {!isInherited && (
        <ul className="policy-rows" aria-label="Blackouts">
          {value.map((raw, index) => (
            <BlackoutRow key={index} {...{ index, isReadOnly }} raw={(raw ?? {}) as Record<string, unknown>} error={errorOf(index)} onField={(name, to) => onField(index, name, to)} onRemove={() => onRemove(index)} />
          ))}
        </ul>
      )}
      {!isReadOnly && (
        <Button size="xs" variant="default" onClick={onAdd} mt="xs">
          Add a blackout
        </Button>
      )}
    </>
  );
}

interface RowProps {
  index: number;
  raw: Record<string, unknown>;
  error: string | null;
  isReadOnly: boolean;
  onField: (name: string, value: unknown) => void;
  onRemove: () => void;
}

const FIELDS = [
  ["from", "From", "2026-12-24T18:00"],
  ["to", "To", "2026-12-27"],
  ["time_zone", "Time zone", "none: times end in Z"],
  ["reason", "Reason", "year-end close"],
] as const;

function BlackoutRow({ index, raw, error, isReadOnly, onField, onRemove }: RowProps) {
  const text = (name: string) => (typeof raw[name] === "string" ? (raw[name] as string) : "");
  return (
    <li aria-label={`Blackout ${index + 1}`}>
      <Group gap="xs" align="flex-end">
        {FIELDS.map(([name, label, sample]) => (
          <TextInput
            key={name}
            size="xs"
            label={label}
            placeholder={sample}
            maxLength={name === "reason" ? 200 : 64}
            list={name === "time_zone" ? "policy-zones" : undefined}
            readOnly={isReadOnly}
            value={text(name)}
            onChange={({ currentTarget }) => onField(name, currentTarget.value === "" && name === "time_zone" ? undefined : currentTarget.value)}
          />
        ))}
        <NativeSelect
          size="xs"
          label="A rewrite that runs then"
          data={Object.keys(ON_START)}
          disabled={isReadOnly}
          value={text("on_start") || "drain"}
          onChange={({ currentTarget }) => onField("on_start", currentTarget.value === "drain" ? undefined : currentTarget.value)}
        />
        {!isReadOnly && (
          <Button size="xs" variant="default" onClick={onRemove} aria-label={`Remove blackout ${index + 1}`}>
            Remove
          </Button>
        )}
      </Group>
      {error !== null && (
        <Text size="xs" c="var(--mantine-color-error)" className="wrap-anywhere">
          {error}
        </Text>
      )}
    </li>
  );
}
