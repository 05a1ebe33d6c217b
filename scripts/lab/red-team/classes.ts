// Owns the table of attack classes: one file a kind, one entry here.
import type { AttackClass } from "./attack.ts";
import { delimiters } from "./classes/delimiters.ts";
import { duplicates, noProgram } from "./classes/duplicates.ts";
import { fenceTags, fenceTagsChosen, fenceTagsUnnamed } from "./classes/fence-tags.ts";
import { filtered, filteredLists } from "./classes/filtered.ts";
import { forgedVerdicts } from "./classes/forged-verdicts.ts";
import { jamming, jammingJudgeable, jammingLists } from "./classes/jamming.ts";
import { invisible, lookAlikes } from "./classes/look-alikes.ts";
import { overLong, overLongLists, overLongPairs } from "./classes/over-long.ts";
import { persuasion } from "./classes/persuasion.ts";
import { sandbox, sandboxAsserts } from "./classes/sandbox.ts";
import { specialTokens } from "./classes/special-tokens.ts";

export const CLASSES: readonly AttackClass[] = [
  delimiters,
  specialTokens,
  lookAlikes,
  invisible,
  forgedVerdicts,
  jamming,
  jammingJudgeable,
  jammingLists,
  overLong,
  overLongPairs,
  overLongLists,
  filtered,
  filteredLists,
  fenceTags,
  fenceTagsUnnamed,
  fenceTagsChosen,
  duplicates,
  noProgram,
  sandbox,
  sandboxAsserts,
  persuasion,
];
