/** What a run would do now: files, bytes, time, and what it would leave alone. */
import { bytes, count, counted } from "../../../format/sizes";
import { duration } from "../../../format/times";
import { Time } from "../../../parts/Time";
import type { Schemas } from "../../../api/client";

export function NowBranch({ now }: { now: Schemas["RunNow"] }) {
  const { cost, prediction } = now;
  const skipped = Object.entries(now.skipped_reasons);
  if (cost === null && skipped.length === 0) return null;
  return (
    <dl className="facts tree-branch">
      {prediction !== null && cost !== null && (
        <>
          <dt>Files</dt>
          <dd>
            {count(prediction.input_files)} into about {count(prediction.output_files)}, in {counted(now.groups_total ?? 0, "group")}
          </dd>
          <dt>Bytes</dt>
          <dd>
            reads {bytes(cost.bytes_read)}, writes {bytes(cost.bytes_written)}, about {counted(cost.requests, "storage request")}
          </dd>
          <dt>Time at work</dt>
          <dd>
            {duration(cost.seconds)}
            {cost.ends_at !== null && (
              <>
                ; it would end about <Time at={cost.ends_at} />
              </>
            )}
          </dd>
        </>
      )}
      {now.time_estimate !== null && (
        <>
          <dt>Basis of the time</dt>
          <dd>{now.time_estimate.evidence}</dd>
        </>
      )}
      {(now.deferred_groups ?? 0) > 0 && (
        <>
          <dt>Left for later</dt>
          <dd>{counted(now.deferred_groups ?? 0, "group")}: they exceed the rest of limits.bytes_per_day</dd>
        </>
      )}
      {skipped.length > 0 && (
        <>
          <dt>Partitions left alone</dt>
          <dd>{skipped.map(([reason, partitions]) => `${count(partitions)} ${reason.replaceAll("_", " ")}`).join("; ")}</dd>
        </>
      )}
    </dl>
  );
}
