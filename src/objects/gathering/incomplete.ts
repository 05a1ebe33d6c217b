// Defines what is warned of where rewards rest on a part of their group.
import type { GroupClosed } from "./gathering.ts";

/**
 * How a judgement came about: its members, of how many, why it began, and whether some came late.
 */
interface Completeness {
  members: number;
  /** null: unknown. */
  size: number | null;
  closed: GroupClosed;
  late: boolean;
}

/** Judged before all were there. */
export const isCutShort = ({ members, size, closed }: Completeness): boolean =>
  closed === "deadline" || (size !== null && members < size);

/** `group_incomplete` with the figures, or nothing for a whole group. */
export function incompleteWarnings(group: Completeness): string[] {
  const { members, size, late } = group;
  if (!isCutShort(group) && !late) return [];
  return [`group_incomplete: ${members} of ${size ?? "?"}${late ? ", late" : ""}`];
}
