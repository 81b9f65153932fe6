/** Not built yet. */
import { PageHead } from "../../parts/states";

export default function TablePolicyPage() {
  return <PageHead title="TablePolicyPage" />;
}
