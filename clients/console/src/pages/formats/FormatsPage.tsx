/** Not built yet. */
import { PageHead } from "../../parts/states";

export default function FormatsPage() {
  return <PageHead title="FormatsPage" />;
}
