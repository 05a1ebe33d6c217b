// The table of attack classes: one file a kind, one entry here.

import {
  droppedFacts,
  hiddenByLength,
  hiddenInDiffs,
  hiddenInResults,
  ownWordsInTheTask,
  tooLongRuns,
  tooLongRunsAgainstOne,
  unknownRoles,
} from "./classes/agents.ts";
import { delimiters } from "./classes/delimiters.ts";
import { duplicates, nearCopiesOfAll, nearCopiesOfFew, noProgram } from "./classes/duplicates.ts";
import { filtered, filteredLists } from "./classes/filtered.ts";
import { foreignFormats } from "./classes/foreign-formats.ts";
import { forgedVerdicts } from "./classes/forged-verdicts.ts";
import { jamming, jammingJudgeable, jammingLists } from "./classes/jamming.ts";
import {
  budgetSpent,
  jammingSchedules,
  jammingTogether,
  jammingTogetherLists,
  refusedBlocks,
} from "./classes/jamming-together.ts";
import { loneJudges } from "./classes/lone-judges.ts";
import { invisible, lookAlikes } from "./classes/look-alikes.ts";
import { nonFinite, superscripts, unreadableAnswers, unreadableSteps, unreadableTexts } from "./classes/numbers.ts";
import { openers, openersThought } from "./classes/openers.ts";
import { overLong, overLongLists, overLongPairs } from "./classes/over-long.ts";
import { persuasion } from "./classes/persuasion.ts";
import {
  blocks,
  longResults,
  longWords,
  regionFilters,
  regionJams,
  regionOpeners,
  regionSections,
  regions,
} from "./classes/regions.ts";
import {
  sandbox,
  sandboxAsserts,
  sandboxComparisons,
  sandboxComparisonsJavaScript,
  sandboxFailures,
} from "./classes/sandbox.ts";
import { schedules } from "./classes/schedules.ts";
import { sections, sectionsOfBoxes } from "./classes/sections.ts";
import { roleHeads, specialTokens } from "./classes/special-tokens.ts";
import { unshown } from "./classes/unshown.ts";
import type { AttackClass } from "./material/attack.ts";

export const CLASSES: readonly AttackClass[] = [
  delimiters,
  specialTokens,
  roleHeads,
  lookAlikes,
  invisible,
  schedules,
  sections,
  sectionsOfBoxes,
  forgedVerdicts,
  jamming,
  jammingJudgeable,
  jammingLists,
  openers,
  openersThought,
  jammingTogether,
  jammingTogetherLists,
  jammingSchedules,
  budgetSpent,
  overLong,
  overLongPairs,
  overLongLists,
  filtered,
  filteredLists,
  refusedBlocks,
  duplicates,
  noProgram,
  nearCopiesOfAll,
  nearCopiesOfFew,
  sandbox,
  sandboxAsserts,
  sandboxComparisons,
  sandboxComparisonsJavaScript,
  sandboxFailures,
  superscripts,
  unreadableAnswers,
  unreadableTexts,
  unreadableSteps,
  nonFinite,
  loneJudges,
  regions,
  blocks,
  regionSections,
  regionJams,
  regionFilters,
  longResults,
  longWords,
  regionOpeners,
  tooLongRuns,
  tooLongRunsAgainstOne,
  hiddenByLength,
  hiddenInDiffs,
  hiddenInResults,
  droppedFacts,
  ownWordsInTheTask,
  unknownRoles,
  unshown,
  persuasion,
  foreignFormats,
];
