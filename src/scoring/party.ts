// Owns by what name verifiers know whose call it is.
import { hashText } from "../core/math/random.ts";

/**
 * Of a key's name: the same for the same key, and no word of it. Without keys there is one party,
 * which needs no name.
 */
export function partyOf(key_name: string | null): { party?: string } {
  if (key_name === null) return {};
  const lanes = hashText("party", key_name).map((lane) => lane.toString(36));
  return { party: lanes.join("") };
}
