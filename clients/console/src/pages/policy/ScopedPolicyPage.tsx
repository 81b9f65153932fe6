/** Not built yet. */
import { PageHead } from "../../parts/states";

export default function ScopedPolicyPage() {
  return <PageHead title="ScopedPolicyPage" />;
}
