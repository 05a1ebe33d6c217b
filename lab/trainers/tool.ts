// Defines what a tool of the trainers' table is. Knows none.
import type { Group, Place, Values } from "./groups.ts";

export interface Tool {
  name: string;
  /** "stand-in", or the version of the package that runs. */
  version: string;
  /** Its package is not installed here, so that it cannot run. */
  absent?: true;
  ask(place: Place, groups: readonly Group[]): Promise<Values>;
  /**
   * How the samples of a group reach Kritai: by one call, by calls of one process, or by calls of
   * any. Absent: by calls of which each may hold a part of a group.
   */
  comes?: "whole groups" | "one process" | "any process";
  /** Its requests go through the relay of NeMo-Gym. */
  relayed?: true;
  /**
   * Its client's error, as its page says, when Kritai's restart breaks its connection: it does not
   * ask again after that. `when`: our stand-in's error.
   */
  refuses?: { when: RegExp; as: string };
  /** Its ValueError for a part of a group, where the tool knows the group's size. */
  refuses_part?: RegExp;
  /** Resolves when its process could ask; trouble may begin then. */
  ready?(place: Place): Promise<void>;
  /** By its documented line; absent: as in training. */
  validate?(place: Place, groups: readonly Group[]): Promise<Values & { took_ms?: number }>;
}
