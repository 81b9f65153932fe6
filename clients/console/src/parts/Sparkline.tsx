/** A small line of a few values, with its first and last value as text for screen readers. */
export function Sparkline({ values, label }: { values: readonly number[]; label: string }) {
  if (values.length < 2) return <span className="dim">–</span>;
  const [width, height] = [96, 24];
  const top = Math.max(...values, 1);
  const points = values
    .map((value, index) => `${(index / (values.length - 1)) * width},${height - 2 - (value / top) * (height - 4)}`)
    .join(" ");
  return (
    <svg width={width} height={height} role="img" aria-label={`${label}: from ${values[0]} to ${values.at(-1)}`}>
      <polyline points={points} fill="none" stroke="currentColor" strokeWidth="1.5" />
    </svg>
  );
}
