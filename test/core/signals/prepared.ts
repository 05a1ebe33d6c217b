// Owns a group as signals see it, made of whole texts, for tests of kinds by themselves.
import { createPreparer, type PreparedGroup } from "../../../src/core/candidate/prepare.ts";
import type { Group } from "../../../src/core/contract/requests.ts";

export function preparedOf(texts: readonly string[], facts: object = {}): PreparedGroup {
  const prepare = createPreparer({ candidate: { extract: "whole", strip_comments: false }, formats: {} });
  return prepare({ prompt: "P", rollouts: texts.map((text) => ({ text })), ...facts } as Group, 0);
}
