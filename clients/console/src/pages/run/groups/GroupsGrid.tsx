/** Groups as small squares on a canvas: thousands cost no more than the drawing. Pointer or arrow keys select one. */
import { useComputedColorScheme } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import { type KeyboardEvent, type PointerEvent, useEffect, useId, useRef, useState } from "react";
import { bytes, count, counted } from "../../../format/sizes";
import { type FileGroup, type GroupState, counts, GROUP_STATES } from "./groups";
import { reasonText } from "../words";

export const GROUP_COLORS: Readonly<Record<GroupState, readonly [light: string, dark: string]>> = {
  planned: ["#868e96", "#909296"],
  running: ["#1c7ed6", "#4dabf7"],
  written: ["#e8890c", "#ffa94d"],
  committed: ["#2b8a3e", "#51cf66"],
  dropped: ["#c92a2a", "#ff6b6b"],
};

export function GroupsGrid({ groups }: { groups: readonly FileGroup[] }) {
  const { ref, width } = useElementSize();
  const canvas = useRef<HTMLCanvasElement>(null);
  const scheme = useComputedColorScheme("light");
  const [selected, setSelected] = useState<number | null>(null);
  const line = useId();
  const cell = groups.length <= 300 ? 20 : groups.length <= 3_000 ? 11 : 7;
  const columns = Math.max(1, Math.floor(width / cell));
  const height = Math.ceil(groups.length / columns) * cell;
  useEffect(() => {
    if (canvas.current !== null && width > 0) {
      draw(canvas.current, { groups, cell, columns, width, height, selected, tint: scheme === "dark" ? 1 : 0 });
    }
  }, [groups, cell, columns, width, height, selected, scheme]);
  const onPointer = (event: PointerEvent<HTMLCanvasElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    const column = Math.floor((event.clientX - box.left) / cell);
    const index = Math.floor((event.clientY - box.top) / cell) * columns + column;
    setSelected(column < columns && index < groups.length ? index : null);
  };
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    setSelected((index) => Math.min(groups.length - 1, Math.max(0, index === null ? 0 : index + step)));
  };
  const one = selected === null ? undefined : groups[selected];
  return (
    <>
      <div className="groups-view" tabIndex={0} role="group" aria-label="Groups as a grid; arrow keys select one" aria-describedby={line} onKeyDown={onKey}>
        <div ref={ref}>
          <canvas ref={canvas} role="img" aria-label={summary(groups)} onPointerMove={onPointer} onPointerDown={onPointer} />
        </div>
      </div>
      <p id={line} className="groups-line wrap-anywhere" role="status">
        {one === undefined ? "Point at a group, or select one with the arrow keys, to see it here." : groupText(one)}
      </p>
    </>
  );
}

function summary(groups: readonly FileGroup[]): string {
  const found = counts(groups);
  const parts = GROUP_STATES.filter((state) => found[state] > 0).map((state) => `${count(found[state])} ${state}`);
  return `${counted(groups.length, "group")}: ${parts.join(", ")}`;
}

function groupText(group: FileGroup): string {
  const input = `${counted(group.input_files, "file")} of ${bytes(group.input_bytes)}`;
  const output = group.output_files > 0 ? ` to ${counted(group.output_files, "file")} of ${bytes(group.output_bytes)}` : "";
  const reason = group.reason === null ? "" : `: ${reasonText(group.reason)}`;
  return `Group ${group.ordinal}, ${group.state}${reason}; ${group.partition.text}; ${input}${output}`;
}

interface Drawing {
  readonly groups: readonly FileGroup[];
  readonly cell: number;
  readonly columns: number;
  readonly width: number;
  readonly height: number;
  readonly selected: number | null;
  readonly tint: 0 | 1;
}

function draw(canvas: HTMLCanvasElement, { groups, cell, columns, width, height, selected, tint }: Drawing): void {
  const scale = globalThis.devicePixelRatio || 1;
  canvas.width = Math.floor(width * scale);
  canvas.height = Math.floor(height * scale);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const pen = canvas.getContext("2d");
  if (pen === null) return;
  pen.scale(scale, scale);
  const size = cell - (cell > 8 ? 2 : 1);
  groups.forEach((group, index) => {
    const [x, y] = [(index % columns) * cell, Math.floor(index / columns) * cell];
    pen.fillStyle = pen.strokeStyle = GROUP_COLORS[group.state][tint];
    paint(pen, group.state, x, y, size);
    if (index === selected) {
      pen.strokeStyle = tint === 1 ? "#ffffff" : "#000000";
      pen.lineWidth = 2;
      pen.strokeRect(x, y, size, size);
    }
  });
}

/** Paint one square. Besides its colour, a state has its own pattern where there is room for one. */
function paint(pen: CanvasRenderingContext2D, state: GroupState, x: number, y: number, size: number): void {
  pen.lineWidth = 1;
  if (state === "planned") return pen.strokeRect(x + 0.5, y + 0.5, size - 1, size - 1);
  if (state === "running" && size > 8) {
    pen.strokeRect(x + 0.5, y + 0.5, size - 1, size - 1);
    return pen.fillRect(x, y + size / 2, size, size / 2);
  }
  pen.fillRect(x, y, size, size);
  if (state !== "dropped" || size <= 8) return;
  pen.strokeStyle = "#ffffff";
  pen.beginPath();
  pen.moveTo(x + 2, y + 2);
  pen.lineTo(x + size - 2, y + size - 2);
  pen.stroke();
}
