/** Not built yet. */
import { PageHead } from "../../parts/states";

export default function TablesPage() {
  return <PageHead title="TablesPage" />;
}
