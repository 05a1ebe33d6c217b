// Where a run's workload comes from: the examples, a file or a seed.
import { readFileSync } from "node:fs";
import * as z from "zod";
import { GroupSchema } from "../../../src/core/contract/group.ts";
import { GROUPS_FILE } from "../../problems/groups.ts";
import type { Workload } from "../kinds/item.ts";
import { readWorkloadFile } from "./file.ts";
import { type Shape, shapeWorkload } from "./shape.ts";
import { type SyntheticSize, syntheticGroups } from "./synthetic.ts";

/**
 * @param source `examples`, `synthetic` or a file's path. @throws Error that says what is wrong
 * with the file
 */
export function loadWorkload(
  bodyType: Workload["bodyType"],
  source: string,
  shape: Shape,
  size: SyntheticSize,
  seed: number,
): Workload {
  if (source === "synthetic") return { ...shapeWorkload(bodyType, syntheticGroups(size, seed), shape), name: source };
  if (source === "examples") {
    const groups = z.array(GroupSchema).parse(JSON.parse(readFileSync(GROUPS_FILE, "utf8")));
    return { ...shapeWorkload(bodyType, groups, shape), name: source };
  }
  const content = readWorkloadFile(source);
  if ("groups" in content) return { ...shapeWorkload(bodyType, content.groups, shape), name: source };
  if (content.workload.bodyType !== bodyType)
    throw new Error(`${source} contains bodies of ${content.workload.bodyType}, not of ${bodyType}`);
  return content.workload;
}
