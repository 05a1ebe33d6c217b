// Owns which words of a verifier are kept: cut one by one, and bounded for a request. Knows no
// verdict.
import { LIMITS } from "../core/faults/limits.ts";
import { cutText } from "../core/text/cut-text.ts";

/** Of one request whose spec says log_verdicts or judge_text. What comes first is kept first. */
export class VerdictTexts {
  private left: number;
  private readonly all: number;
  private each: number = LIMITS.logged_verdict_chars;
  /** Some were left out, as all together were too long. */
  dropped = false;

  /** @param chars of all that is kept together */
  constructor(chars: number = LIMITS.logged_verdicts_chars) {
    this.all = chars;
    this.left = chars;
  }

  /** Cuts each so short that so many have room, whichever comes first. */
  shareAmong(answers: number): void {
    this.each = Math.min(this.each, Math.floor(this.all / Math.max(1, answers)));
  }

  /** What is kept of a verifier's answer; null: nothing. */
  kept(answer: string): string | null {
    const text = cutText(answer, this.each);
    if (text.length > this.left) {
      this.dropped = true;
      return null;
    }
    this.left -= text.length;
    return text;
  }
}
