// Derives the tenant name under which a verifier counts the calls of an API key.
import { hashText } from "../core/math/random.ts";

/** A stable hash of the key's name, which does not reveal the name. Empty without a key. */
export function partyOf(key_name: string | null): { tenant?: string } {
  if (key_name === null) return {};
  const lanes = hashText("party", key_name).map((lane) => lane.toString(36));
  return { tenant: lanes.join("") };
}
