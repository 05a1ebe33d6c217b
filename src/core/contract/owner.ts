// The owner of a row: the name of an API key, or an empty string for requests without a key. Independent of
// key storage and database tables.

/** Name of the key that was used to write a row; empty if no key was used. */
export type Owner = string;

/** Owner of rows that were written without a key, as in local use. No key can have this name. */
export const NOBODY: Owner = "";

/** Identifies a run. Run ids are unique only per owner. */
export interface RunKey {
  owner: Owner;
  run_id: string;
}

/** Filter for rows: those of one owner, or those of all owners except the listed ones. */
export type Whose = { owner: Owner } | { not: readonly Owner[] };

/** The owner of rows written with the key of this name; null means without a key. */
export const ownerOf = (keyName: string | null): Owner => keyName ?? NOBODY;

/** The owner's name as shown in replies: null for rows written without a key. */
export const ownerName = (owner: Owner): string | null => (owner === NOBODY ? null : owner);
