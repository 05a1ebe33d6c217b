// The owner of a row: a key's name, or none. Must not know keys or tables.

/** The name of the key that a row was written with; empty without keys. */
export type Owner = string;

/** The owner of rows that were written without keys, as in local use. No key can have this name. */
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

/** An owner as replies show it: null without a key. */
export const ownerName = (owner: Owner): string | null => (owner === NOBODY ? null : owner);
