/** Not built yet. */
import { PageHead } from "../../parts/states";

export default function TablePage() {
  return <PageHead title="TablePage" />;
}
