/** Series over time, drawn by uPlot; the same figures as a table for those who don't see the chart. */
import { Box } from "@mantine/core";
import { useComputedColorScheme } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import { useEffect, useRef } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { localTime } from "../format/times";

export interface Series {
  readonly label: string;
  /** One value for each instant; null where it is not known. */
  readonly values: readonly (number | null)[];
  /** Index of its colour in the palette. */
  readonly color?: number;
  /** Fill the area to the axis, as for stacked shares. */
  readonly fill?: boolean;
  /** Draw as steps, for limits and counts that hold until they change. */
  readonly steps?: boolean;
  readonly dashed?: boolean;
  /** Values to show as text where the drawn ones are sums, as in a stack. */
  readonly shown?: readonly (number | null)[];
}

export interface TimeChartProps {
  /** What the chart shows, in a sentence. */
  readonly label: string;
  /** Instants in ms since the epoch, ascending. */
  readonly at: readonly number[];
  readonly series: readonly Series[];
  readonly format: (value: number | null | undefined) => string;
  readonly height?: number;
  /** Spans to shade, such as quiet hours, in ms since the epoch. */
  readonly shaded?: readonly { from: number; to: number }[];
  /** Called with a span that was selected by dragging. */
  readonly onSelect?: (from: number, to: number) => void;
}

const LIGHT = ["#1864ab", "#c92a2a", "#2b8a3e", "#d9480f", "#5f3dc4", "#0b7285"];
const DARK = ["#74c0fc", "#ff8787", "#69db7c", "#ffa94d", "#b197fc", "#66d9e8"];
const TABLE_ROWS = 50;
/** A chart with one instant shows this much before and after it. */
const LONE_SECONDS = 1_800;
/** Labels of ticks by their distance in seconds: a clock of 24 hours, and the date where the day changes. */
const TIME_TICKS: uPlot.Axis.DynamicValues | (number | string | null)[][] = [
  [31_536_000, "{YYYY}", null, null, null, null, null, null, 1],
  [86_400, "{MMM} {DD}", "\n{YYYY}", null, null, null, null, null, 1],
  [60, "{HH}:{mm}", "\n{YYYY}-{MM}-{DD}", null, "\n{MMM} {DD}", null, null, null, 1],
  [1, "{HH}:{mm}:{ss}", "\n{YYYY}-{MM}-{DD}", null, "\n{MMM} {DD}", null, null, null, 1],
];

export function TimeChart(props: TimeChartProps) {
  const { ref: size, width } = useElementSize();
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const scheme = useComputedColorScheme("light");
  const latest = useRef(props);
  latest.current = props;
  const height = props.height ?? 220;
  const shape = JSON.stringify(props.series.map(({ values: _values, shown: _shown, ...series }) => series));
  useEffect(() => {
    if (place.current === null || width === 0) return;
    const options = optionsOf(latest, scheme === "dark", width, height);
    chart.current = new uPlot(options, dataOf(latest.current), place.current);
    return () => {
      chart.current?.destroy();
      chart.current = null;
    };
  }, [width, height, scheme, shape]);
  const { at, series } = props;
  useEffect(() => chart.current?.setData(dataOf({ at, series })), [at, series]);
  return (
    <Box ref={size} className="chart">
      <div ref={place} role="img" aria-label={props.label} style={{ minHeight: height + 30 }} />
      <details className="figures">
        <summary>Figures of this chart</summary>
        <FiguresTable {...props} />
      </details>
    </Box>
  );
}

function FiguresTable({ at, series, format, label }: TimeChartProps) {
  const from = Math.max(0, at.length - TABLE_ROWS);
  return (
    <div className="rows" style={{ maxHeight: 300 }} tabIndex={0} role="group" aria-label={`Figures: ${label}`}>
      <table>
        <caption className="visually-hidden">{label}</caption>
        <thead>
          <tr>
            <th scope="col">Time</th>
            {series.map(({ label: name }) => (
              <th key={name} scope="col" className="right">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {at.slice(from).map((instant, index) => (
            <tr key={instant}>
              <th scope="row">{localTime(instant)}</th>
              {series.map(({ label: name, values, shown = values }) => (
                <td key={name} className="right">
                  {format(shown[from + index])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function dataOf({ at, series }: Pick<TimeChartProps, "at" | "series">): uPlot.AlignedData {
  const seconds = at.map((instant) => instant / 1000);
  const [lone] = seconds;
  if (lone === undefined || seconds.length > 1) return [seconds, ...series.map(({ values }) => values as (number | null)[])];
  // uPlot would show years around one instant
  return [[lone - LONE_SECONDS, lone, lone + LONE_SECONDS], ...series.map(({ values }) => [null, values[0] ?? null, null])];
}

function optionsOf(latest: { current: TimeChartProps }, isDark: boolean, width: number, height: number): uPlot.Options {
  const { series, format, shaded, onSelect } = latest.current;
  const palette = isDark ? DARK : LIGHT;
  const ink = isDark ? "#c9c9c9" : "#495057";
  const grid = { stroke: isDark ? "#3b3b3b" : "#e9ecef", width: 1 };
  return {
    width,
    height,
    cursor: { drag: { x: onSelect !== undefined, y: false, setScale: false } },
    legend: { live: true },
    scales: {
      x: { time: true },
      y: { range: (_plot, _low, high) => [0, high > 0 ? high * 1.1 : 1] },
    },
    axes: [
      { stroke: ink, grid, ticks: grid, values: TIME_TICKS },
      { stroke: ink, grid, ticks: grid, size: 80, values: (_plot, ticks) => ticks.map((tick) => format(tick)) },
    ],
    series: [
      { label: "Time", value: (_plot, value) => (value === null ? "–" : localTime(value * 1000)) },
      ...series.map((one, index): uPlot.Series => {
        const stroke = palette[(one.color ?? index) % palette.length] as string;
        return {
          label: one.label,
          stroke,
          width: 2,
          ...(one.fill === true ? { fill: `${stroke}33` } : {}),
          ...(one.dashed === true ? { dash: [6, 4] } : {}),
          ...(one.steps === true && uPlot.paths.stepped ? { paths: uPlot.paths.stepped({ align: 1 }) } : {}),
          points: { show: () => latest.current.at.length < 3 },
          value: (_plot, value, _series, at) => {
            const shown = latest.current.series[index]?.shown;
            return format(shown === undefined || at === null || shown.length < 2 ? value : shown[at]);
          },
        };
      }),
    ],
    hooks: {
      drawClear: [
        (plot) => {
          for (const { from, to } of latest.current.shaded ?? shaded ?? []) {
            const left = plot.valToPos(from / 1000, "x", true);
            const right = plot.valToPos(to / 1000, "x", true);
            plot.ctx.fillStyle = isDark ? "#ffffff14" : "#0000000d";
            plot.ctx.fillRect(left, plot.bbox.top, right - left, plot.bbox.height);
          }
        },
      ],
      setSelect: [
        (plot) => {
          if (plot.select.width < 4) return;
          const from = plot.posToVal(plot.select.left, "x") * 1000;
          const to = plot.posToVal(plot.select.left + plot.select.width, "x") * 1000;
          plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          latest.current.onSelect?.(from, to);
        },
      ],
    },
  };
}
