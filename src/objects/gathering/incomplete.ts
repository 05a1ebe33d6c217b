// Warnings for rewards that were computed from an incomplete group.
import type { GroupClosed } from "./gathering.ts";

/** How complete a group was when it was judged. */
interface Completeness {
  members: number;
  /** Null if unknown. */
  size: number | null;
  closed: GroupClosed;
  late: boolean;
}

/** Whether the group was judged before all members had arrived. */
export const isCutShort = ({ members, size, closed }: Completeness): boolean =>
  closed === "deadline" || (size !== null && members < size);

/** The `group_incomplete` warning with the number of samples; empty for a complete group. */
export function incompleteWarnings(group: Completeness): string[] {
  const { members, size, late } = group;
  if (!isCutShort(group) && !late) return [];
  return [`group_incomplete: ${members} of ${size ?? "?"}${late ? ", late" : ""}`];
}
