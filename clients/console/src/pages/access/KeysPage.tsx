/** Not built yet. */
import { PageHead } from "../../parts/states";

export default function KeysPage() {
  return <PageHead title="KeysPage" />;
}
