// The tenant name under which a verifier counts a key's calls.
import { hashText } from "../core/math/random.ts";

/**
 * A hash of a key's name, stable but not readable. Without keys there is a single tenant, which needs no
 * name.
 */
export function partyOf(key_name: string | null): { tenant?: string } {
  if (key_name === null) return {};
  const lanes = hashText("party", key_name).map((lane) => lane.toString(36));
  return { tenant: lanes.join("") };
}
