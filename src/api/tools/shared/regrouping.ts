// Rebuilds groups from a flat batch: items with equal prompt, label and language form a group.

import { canonicalJson } from "../../../core/contract/canonical-json.ts";
import type { Group, Rollout } from "../../../core/contract/group.ts";
import type { Prompt } from "../../../core/contract/prompt.ts";
import { type LimitName, theLimit } from "../../../core/faults/limit-advice.ts";
import { LIMITS } from "../../../core/faults/limits.ts";
import { invalidRequest } from "../../door/validation.ts";

export interface FlatItem {
  prompt: Prompt;
  /** Any JSON value. Items with the same prompt but different labels belong to different problems. */
  label: unknown;
  language: string | null;
  rollout: Rollout;
}

interface Regrouped {
  groups: Group[];
  /** The index of each item's group, and the item's index within the group. */
  places: { group: number; member: number }[];
}

/**
 * Rebuilds the groups, in the order of their first items. Within a group, items keep their order.
 * @param field the field that contains the items, for error messages
 * @throws ApiError `invalid_request` if there are too many groups or a group is too large
 */
export function regroup(items: readonly FlatItem[], field: string): Regrouped {
  const groupOf = new Map<string, number>();
  const groups: Group[] = [];
  const places = items.map(({ prompt, label, language, rollout }) => {
    const key = canonicalJson([prompt, label ?? null, language]);
    const group = groupOf.get(key) ?? groups.length;
    if (group === groups.length) {
      groupOf.set(key, group);
      groups.push({ prompt, rollouts: [], ...(language !== null && { language }) });
    }
    const { rollouts } = groups[group] as Group;
    rollouts.push(rollout);
    return { group, member: rollouts.length - 1 };
  });
  const largest = Math.max(...groups.map(({ rollouts }) => rollouts.length));
  checkCount(largest, "rollouts_per_group_max", `${largest} samples with equal prompt and label`, field);
  checkCount(groups.length, "groups_max", `${groups.length} different prompts`, field);
  return { groups, places };
}

function checkCount(count: number, limit: LimitName, stated: string, field: string): void {
  if (count <= LIMITS[limit]) return;
  throw invalidRequest([{ path: field, message: `${stated}; ${theLimit(limit)}` }]);
}
