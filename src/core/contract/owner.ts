// The owner of a row: the name of an API key, or empty for requests without a key. Independent of keys and
// tables.

/** The name of the key that wrote a row; empty if no key was used. */
export type Owner = string;

/** The owner of rows written without a key, as in local use. No key can have this name. */
export const NOBODY: Owner = "";

/** Identifies a run. Run ids are unique per owner only. */
export interface RunKey {
  owner: Owner;
  run_id: string;
}

/** Filters rows: those of one owner, or those of all owners except the listed ones. */
export type Whose = { owner: Owner } | { not: readonly Owner[] };

/** The owner of rows written with this key name; null for requests without a key. */
export const ownerOf = (keyName: string | null): Owner => keyName ?? NOBODY;

/** The owner's name in replies: null for rows without a key. */
export const ownerName = (owner: Owner): string | null => (owner === NOBODY ? null : owner);
