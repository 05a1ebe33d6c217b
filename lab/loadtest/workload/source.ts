// Where a run's workload comes from: the examples, a file or a seed.
import { readFileSync } from "node:fs";
import * as z from "zod";
import { GroupSchema } from "../../../src/core/contract/requests.ts";
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
  of: Workload["of"],
  source: string,
  shape: Shape,
  size: SyntheticSize,
  seed: number,
): Workload {
  if (source === "synthetic") return { ...shapeWorkload(of, syntheticGroups(size, seed), shape), name: source };
  if (source === "examples") {
    const groups = z.array(GroupSchema).parse(JSON.parse(readFileSync(GROUPS_FILE, "utf8")));
    return { ...shapeWorkload(of, groups, shape), name: source };
  }
  const content = readWorkloadFile(source);
  if ("groups" in content) return { ...shapeWorkload(of, content.groups, shape), name: source };
  if (content.workload.of !== of) throw new Error(`${source} holds bodies of ${content.workload.of}, not of ${of}`);
  return content.workload;
}
