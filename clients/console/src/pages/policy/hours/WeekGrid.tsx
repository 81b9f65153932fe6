/**
 * Quiet hours as a week of seven days by 24 hours. A mouse or pen draws new windows and moves windows; rows of fields
 * below the grid do the same for keyboards and fingers.
 */
import { type PointerEvent, useRef, useState } from "react";
import { DAY_NAMES, DAYS, described, drawn, moved, type QuietWindow, segmentsOf, shiftBetween } from "../logic/windows";
import { minuteOfDay, type OffsetChange, wallAt, wallClock, wallDate, weekday } from "../logic/zones";

const [LEFT, TOP, COLUMN, HOUR] = [44, 22, 100, 16];
const [WIDTH, HEIGHT] = [LEFT + 7 * COLUMN, TOP + 24 * HOUR];
const SNAP = 30;

interface Point {
  readonly day: number;
  readonly minute: number;
}
type Gesture = { from: Point; to: Point; window: QuietWindow | null };

export interface WeekGridProps {
  readonly windows: readonly QuietWindow[];
  readonly zone: string;
  readonly now: number;
  readonly changes: readonly OffsetChange[];
  readonly isInherited: boolean;
  readonly isReadOnly: boolean;
  readonly onAdd: (window: Omit<QuietWindow, "index">) => void;
  readonly onMove: (window: QuietWindow) => void;
  /** A window was clicked. */
  readonly onPick: (index: number) => void;
}

export function WeekGrid(props: WeekGridProps) {
  const { windows, zone, now, changes, isInherited, isReadOnly, onAdd, onMove, onPick } = props;
  const svg = useRef<SVGSVGElement>(null);
  const [gesture, setGesture] = useState<Gesture | null>(null);
  const pointOf = (event: PointerEvent): Point => {
    const box = svg.current!.getBoundingClientRect();
    const [x, y] = [((event.clientX - box.left) / box.width) * WIDTH, ((event.clientY - box.top) / box.height) * HEIGHT];
    const minute = Math.round(((y - TOP) / HOUR) * (60 / SNAP)) * SNAP;
    return { day: clamp(Math.floor((x - LEFT) / COLUMN), 6), minute: clamp(minute, 1440) };
  };
  const begin = (event: PointerEvent, window: QuietWindow | null) => {
    if (isReadOnly || event.pointerType === "touch" || event.button !== 0) return;
    event.stopPropagation();
    svg.current!.setPointerCapture(event.pointerId);
    const at = pointOf(event);
    setGesture({ from: at, to: at, window });
  };
  const end = () => {
    if (gesture === null) return;
    setGesture(null);
    const shift = shiftOf(gesture);
    if (gesture.window === null) onAdd(sketchOf(gesture, zone));
    else if (shift.days === 0 && shift.minutes === 0) onPick(gesture.window.index);
    else onMove(moved(gesture.window, shift.days, shift.minutes));
  };
  const preview = gesture === null ? null : gesture.window === null ? sketchOf(gesture, zone) : moved(gesture.window, shiftOf(gesture).days, shiftOf(gesture).minutes);
  return (
    <div className="policy-week-view" tabIndex={0} role="region" aria-label="Week of quiet hours">
      <svg
        ref={svg}
        className="policy-week"
        viewBox={`0 0 ${WIDTH} ${HEIGHT + 2}`}
        role="img"
        aria-label={`Quiet hours in ${zone}: ${windows.length === 0 ? "none" : windows.map(described).join("; ")}`}
        onPointerDown={(event) => begin(event, null)}
        onPointerMove={(event) => gesture !== null && setGesture({ ...gesture, to: pointOf(event) })}
        onPointerUp={end}
        onPointerCancel={() => setGesture(null)}
      >
        <Lines />
        {windows.map((window) => (
          <Window key={window.index} {...{ window, zone, now, isInherited, isReadOnly }} onGrab={(event) => begin(event, window)} />
        ))}
        {preview !== null && segmentsOf({ ...preview, index: -1 }).map((part) => <Part key={`${part.day} ${part.from}`} part={part} className="sketch" />)}
        <ClockChanges changes={changes} />
        <Now at={wallAt(zone, now)} />
      </svg>
    </div>
  );
}

const clamp = (value: number, max: number) => Math.min(Math.max(value, 0), max);
const y = (minute: number) => TOP + (minute / 60) * HOUR;
const x = (day: number) => LEFT + day * COLUMN;

function shiftOf({ from, to }: Gesture) {
  return { days: to.day - from.day, minutes: to.minute - from.minute };
}

function sketchOf({ from, to }: Gesture, zone: string) {
  const isPoint = from.minute === to.minute;
  const start = Math.min(from.minute, 1380);
  return isPoint ? drawn({ day: from.day, minute: start }, { day: to.day, minute: start + 60 }, zone) : drawn(from, to, zone);
}

function Lines() {
  const hours = Array.from({ length: 25 }, (_, hour) => hour);
  return (
    <g aria-hidden="true">
      <defs>
        <pattern id="policy-dst" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <line x1="0" y1="0" x2="0" y2="6" stroke="var(--changed)" strokeWidth="2" />
        </pattern>
      </defs>
      <rect x={LEFT} y={TOP} width={7 * COLUMN} height={24 * HOUR} fill="var(--mantine-color-body)" />
      {hours.map((hour) => (
        <g key={hour}>
          <line className="line" x1={LEFT} x2={WIDTH} y1={y(hour * 60)} y2={y(hour * 60)} />
          {hour % 3 === 0 && hour < 24 && (
            <text x={LEFT - 6} y={y(hour * 60) + 9} textAnchor="end">
              {String(hour).padStart(2, "0")}:00
            </text>
          )}
        </g>
      ))}
      {DAYS.map((day, index) => (
        <g key={day}>
          <line className="line" x1={x(index)} x2={x(index)} y1={TOP} y2={HEIGHT} />
          <text x={x(index) + COLUMN / 2} y={14} textAnchor="middle">
            {DAY_NAMES[day]}
          </text>
        </g>
      ))}
      <line className="line" x1={WIDTH} x2={WIDTH} y1={TOP} y2={HEIGHT} />
    </g>
  );
}

function Part({ part, className }: { part: { day: number; from: number; to: number }; className: string }) {
  return <rect className={className} x={x(part.day) + 3} width={COLUMN - 6} y={y(part.from)} height={Math.max(2, y(part.to) - y(part.from))} rx={3} />;
}

interface WindowProps {
  window: QuietWindow;
  zone: string;
  now: number;
  isInherited: boolean;
  isReadOnly: boolean;
  onGrab: (event: PointerEvent) => void;
}

function Window({ window, zone, now, isInherited, isReadOnly, onGrab }: WindowProps) {
  const isForeign = window.zone !== zone;
  const shift = isForeign ? shiftBetween(window.zone, zone, now) : 0;
  const isFixed = isForeign || isReadOnly || isInherited;
  return (
    <g onPointerDown={isFixed ? undefined : onGrab}>
      <title>{described(window)}</title>
      {segmentsOf(window, shift).map((part) => (
        <g key={`${part.day} ${part.from}`}>
          <Part part={part} className={`window${isForeign ? " foreign" : ""}${isInherited ? " inherited" : ""}`} />
          {part.to - part.from >= 60 && (
            <text className="window-text" x={x(part.day) + COLUMN / 2} y={y(part.from) + 12} textAnchor="middle">
              {part.begins ? `${window.from}–${window.to}` : `until ${window.to}`}
              {isForeign ? ` ${window.zone.split("/").at(-1)!.slice(0, 8)}` : ""}
            </text>
          )}
        </g>
      ))}
    </g>
  );
}

function ClockChanges({ changes }: { changes: readonly OffsetChange[] }) {
  const places = new Map<string, { change: OffsetChange; numbers: number[] }>();
  for (const [index, change] of changes.entries()) {
    const key = `${weekday(change.from)} ${minuteOfDay(change.from)} ${change.minutes}`;
    places.set(key, { change, numbers: [...(places.get(key)?.numbers ?? []), index + 1] });
  }
  return (
    <>
      {[...places.values()].map(({ change, numbers }) => {
        const [day, from] = [weekday(change.from), minuteOfDay(change.from)];
        return (
          <g key={`${day} ${from}`}>
            <title>{`${wallDate(change.from)}, ${wallClock(change.from)}: ${change.kind}`}</title>
            <rect className="dst" x={x(day) + 1} width={COLUMN - 2} y={y(from)} height={(change.minutes / 60) * HOUR} />
            <rect x={x(day) + 4} y={y(from) + 2} width={numbers.length * 14 + 44} height={12} fill="var(--mantine-color-body)" />
            <text x={x(day) + 6} y={y(from) + 12}>
              clock: {numbers.join(", ")}
            </text>
          </g>
        );
      })}
    </>
  );
}

function Now({ at }: { at: number }) {
  const [day, minute] = [weekday(at), minuteOfDay(at)];
  return (
    <g>
      <title>{`Now: ${wallClock(at)}`}</title>
      <line className="now" x1={x(day)} x2={x(day) + COLUMN} y1={y(minute)} y2={y(minute)} />
      <text x={x(day) + COLUMN - 4} y={minute < 60 ? y(minute) + 12 : y(minute) - 3} textAnchor="end">
        now
      </text>
    </g>
  );
}
