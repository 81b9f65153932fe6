/** The fleet: every table together, what runs, what waits, and what could be won. */
import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Time } from "../../parts/Time";
import { Answer, PageHead } from "../../parts/states";
import { DeletionsNotice } from "../deletions/DeletionsNotice";
import { SystemNotice } from "../system/SystemNotice";
import { FirstStart } from "./FirstStart";
import { FleetActions } from "./FleetActions";
import { FleetFigures } from "./FleetFigures";
import { type FleetNow, fleetQuery } from "./fleetQueries";
import { HoldsSection } from "./holds/HoldsSection";
import { LiveRuns } from "./LiveRuns";
import { PauseNotice } from "./holds/PauseNotice";
import { RatesSection } from "./rates/RatesSection";
import { SmallFilesSection } from "./rates/SmallFilesSection";
import { WindowsSection } from "./holds/WindowsSection";
import { WorthSection } from "./WorthSection";
import "./fleet.css";

export { SEARCH } from "./rates/SmallFilesSection";

export default function FleetPage() {
  const query = useQuery(fleetQuery);
  const fleet = query.data?.fleet;
  return (
    <>
      <PageHead title="Fleet" sub={fleet === undefined ? "All tables together" : <>All tables together, as of <Time at={fleet.measured_at} /></>}>
        <FleetActions pause={fleet?.pause ?? null} />
      </PageHead>
      <Answer query={query} height={900}>
        {(data) => (data.fleet.tables === 0 ? <FirstStart /> : <Fleet {...data} />)}
      </Answer>
    </>
  );
}

function Fleet({ fleet, samples }: FleetNow) {
  return (
    <>
      {fleet.pause !== null && <PauseNotice pause={fleet.pause} whole="the fleet" />}
      <SystemNotice />
      <DeletionsNotice />
      {fleet.measured_tables === 0 && (
        <Text size="sm" mb="md" role="status">
          No table was measured yet: figures appear after the first look at each table, usually within a minute.
        </Text>
      )}
      <FleetFigures fleet={fleet} />
      <div className="two-columns">
        <RatesSection fleet={fleet} samples={samples} />
        <SmallFilesSection flow={fleet.small_files} />
      </div>
      <div className="two-columns">
        <HoldsSection breakers={fleet.breakers} pause={fleet.pause} />
        <LiveRuns live={fleet.live_runs} />
      </div>
      <WindowsSection />
      <WorthSection />
    </>
  );
}
