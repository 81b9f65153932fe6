/** Not built yet. */
import { PageHead } from "../../parts/states";

export default function RunPage() {
  return <PageHead title="RunPage" />;
}
