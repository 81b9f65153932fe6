/** Not built yet. */
import { PageHead } from "../../parts/states";

export default function FleetPage() {
  return <PageHead title="FleetPage" />;
}
