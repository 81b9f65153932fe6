/** Not built yet. */
import { PageHead } from "../../parts/states";

export default function SignalsPage() {
  return <PageHead title="SignalsPage" />;
}
