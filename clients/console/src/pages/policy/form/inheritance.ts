/** Where a setting's value comes from: set here, or inherited, and from which layer. */
import type { Schemas } from "../../../api/client";
import { valueAt, type Leaf } from "../logic/schema";
import type { Preview, Stored } from "../policyTarget";

export interface Inherited {
  readonly value: unknown;
  readonly origin: string;
}

export interface Standing {
  /** What holds while the policy does not set it; null if that is not known. */
  readonly inherited: Inherited | null;
  /** Layer that is stronger than this policy and sets it on the table that is shown; null if there is none. */
  readonly overriddenBy: string | null;
  /** Why the setting has no effect, or the part of its effect that is missing. */
  readonly note: string | null;
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

/** Return where a setting stands: the draft's own effect first, then what is underneath, then what holds now. */
export function standingOf(leaf: Leaf, { effective, underneath, preview, base, origin, isOneTable }: Layers): Standing {
  const setting = effective?.settings[leaf.name];
  const note = setting === undefined || setting.note === null ? null : setting.note;
  const isStored = valueAt(base?.policy, leaf.path) !== undefined;
  const ofDraft = isOneTable ? changeIn(preview, leaf.name) : undefined;
  if (ofDraft !== undefined && ofDraft.origin !== origin) return { inherited: ofDraft, overriddenBy: null, note };
  if (setting === undefined) return { inherited: null, overriddenBy: null, note };
  if (setting.origin !== origin) {
    const overriddenBy = isStored ? setting.origin : null;
    return { inherited: { value: setting.value, origin: setting.origin }, overriddenBy, note };
  }
  const below = isOneTable ? changeIn(underneath, leaf.name) : undefined;
  if (below !== undefined) return { inherited: below, overriddenBy: null, note };
  const isSame = isOneTable && underneath !== undefined;
  return { inherited: isSame ? { value: setting.value, origin: "the same value" } : null, overriddenBy: null, note };
}

function changeIn(preview: Preview | undefined, name: string): Inherited | undefined {
  const found = preview?.changes[0]?.settings.find(({ setting }) => setting === name);
  return found === undefined ? undefined : { value: found.after, origin: found.after_origin };
}
