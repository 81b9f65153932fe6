/** Conditions of a rule, each with its measured and its wanted value on a bar. */
import { Badge } from "../../../parts/badges";
import { Bar } from "../Bar";
import { barOf, isMet, type MeasuredCondition, measuredText, metricWords, missingText, wantedText } from "./conditions";

export function ConditionRows({ conditions }: { conditions: readonly MeasuredCondition[] }) {
  return (
    <ul className="plain-list" aria-label="Conditions">
      {conditions.map((condition) => (
        <ConditionRow key={condition.path + condition.metric} condition={condition} />
      ))}
    </ul>
  );
}

function ConditionRow({ condition }: { condition: MeasuredCondition }) {
  const met = isMet(condition);
  const bar = barOf(condition);
  const missing = missingText(condition);
  return (
    <li className="conditions">
      <span>
        <Badge tone={met ? "good" : "waiting"}>{met ? "met" : "not met"}</Badge> {metricWords(condition.metric)}
      </span>
      {bar === null ? <span /> : <Bar fill={bar.fill} mark={bar.mark} tone={met ? "met" : "unmet"} />}
      <span className="wrap-anywhere">
        <strong>{measuredText(condition)}</strong>, wanted {wantedText(condition)}
        {missing !== null && ` (${missing})`}
      </span>
    </li>
  );
}
