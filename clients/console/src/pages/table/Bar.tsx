/** A horizontal bar with an optional mark; its text is beside it, so it is hidden from screen readers. */
export function Bar({ fill, tone = "", mark, rest = 0 }: { fill: number; tone?: "" | "met" | "unmet"; mark?: number; rest?: number }) {
  const percent = (share: number) => `${Math.min(100, Math.max(0, share * 100))}%`;
  return (
    <div className="bar" aria-hidden="true">
      <div className={`bar-fill ${tone}`} style={{ width: percent(fill) }} />
      {rest > 0 && <div className="bar-rest" style={{ left: percent(fill), width: percent(rest) }} />}
      {mark !== undefined && <div className="bar-mark" style={{ left: percent(mark) }} />}
    </div>
  );
}
