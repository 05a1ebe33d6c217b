// A journal that only one batch uses.

import type { ReadingJournal } from "../../src/scoring/reading-journal.ts";

export const fakeJournal = (given: Partial<ReadingJournal>): ReadingJournal => ({
  known: () => undefined,
  onReadings: () => {},
  onFailed: () => {},
  asking: () => () => {},
  underWay: () => undefined,
  onScored: () => {},
  ...given,
});
