/** Where a setting's value comes from: set here, or inherited, and from which layer. */
import type { Schemas } from "../../../api/client";
import { type Leaf, valueAt } from "../logic/schema";
import type { Preview, Stored } from "../policyTarget";

export interface Inherited {
  readonly value: unknown;
  /** Layer that sets it; empty if it is not known. */
  readonly origin: string;
}

export interface Standing {
  /** What holds while the policy does not set it; null if that is not known. */
  readonly inherited: Inherited | null;
  /** Value of a layer that is stronger than this policy on the table that is shown; null if there is none. */
  readonly stronger: Inherited | null;
}

export interface Layers {
  readonly effective: Schemas["EffectivePolicy"] | undefined;
  /** Effect of deleting the policy: what is underneath. */
  readonly underneath: Preview | undefined;
  /** Effect of the draft, if it concerns the table that is shown. */
  readonly preview: Preview | undefined;
  readonly base: Stored | null;
  /** Origin of this policy's own settings. */
  readonly origin: string;
  /** Whether the policy covers only the table that is shown. */
  readonly isOneTable: boolean;
}

const LAYERS = ["default", "derived", "table property", "preset", "fleet", "team", "catalog", "namespace", "pattern", "label", "table"];

/** Return the strength of a layer by its origin, such as `namespace lake.shop`; 0 is the weakest. */
export function strengthOf(origin: string): number {
  return origin === "table property" ? 2 : LAYERS.indexOf(origin.split(" ")[0]!);
}

/** Return where a setting stands: the draft's own effect first, then what is underneath, then what holds now. */
export function standingOf(leaf: Leaf, { effective, underneath, preview, base, origin, isOneTable }: Layers): Standing {
  const setting = effective?.settings[leaf.name];
  const inherits = (inherited: Inherited | null): Standing => ({ inherited, stronger: null });
  const ofDraft = isOneTable ? changeIn(preview, leaf.name) : undefined;
  if (ofDraft !== undefined && ofDraft.origin !== origin) return inherits(ofDraft);
  if (setting === undefined) return inherits(null);
  const holds = { value: setting.value, origin: setting.origin };
  if (setting.origin !== origin) {
    const isStored = (valueAt(base?.policy, leaf.path) ?? null) !== null;
    const difference = strengthOf(setting.origin) - strengthOf(origin);
    const isStronger = difference > 0 || (difference === 0 && isStored);
    return isStronger ? { inherited: null, stronger: holds } : inherits(holds);
  }
  const below = isOneTable ? changeIn(underneath, leaf.name) : undefined;
  if (below !== undefined) return inherits(below);
  return inherits(isOneTable && underneath !== undefined ? { ...holds, origin: "" } : null);
}

function changeIn(preview: Preview | undefined, name: string): Inherited | undefined {
  const found = preview?.changes[0]?.settings.find(({ setting }) => setting === name);
  return found === undefined ? undefined : { value: found.after, origin: found.after_origin };
}
