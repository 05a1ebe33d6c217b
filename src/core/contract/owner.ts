// Owns whose a row is: a key's name, or nobody's. Knows no key and no table.

/** The name of the key that a row was written with, or NOBODY. */
export type Owner = string;

/** Whose rows are that were written without keys, as in local use. No key can have this name. */
export const NOBODY: Owner = "";

/** One run: run ids are each owner's own. */
export interface RunKey {
  owner: Owner;
  run_id: string;
}

/** One owner's, or those of all others. */
export type Whose = { owner: Owner } | { not: readonly Owner[] };

/** The owner of what a key of this name writes; null is a caller without a key. */
export const ownerOf = (keyName: string | null): Owner => keyName ?? NOBODY;

/** An owner as it is told: null is nobody. */
export const ownerName = (owner: Owner): string | null => (owner === NOBODY ? null : owner);
