// Counts the generations that a job may still use.

import { generationsIn, type Question } from "../asking/questions.ts";

export class GenerationsLeft {
  private left: number;

  constructor(generations: number) {
    this.left = generations;
  }

  has(generations: number): boolean {
    return this.left >= generations;
  }

  /** Deducts the questions' generations. Returns whether they sufficed; once they did not, they never do. */
  take(questions: readonly Question[]): boolean {
    this.left -= generationsIn(questions);
    return this.left >= 0;
  }
}
