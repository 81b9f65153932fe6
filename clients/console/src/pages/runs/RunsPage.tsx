/** Not built yet. */
import { PageHead } from "../../parts/states";

export default function RunsPage() {
  return <PageHead title="RunsPage" />;
}
