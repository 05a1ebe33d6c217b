// Owns which words of a verifier are kept for the log: cut one by one, and bounded for a request.
// Knows no verdict.
import { LIMITS } from "../core/faults/limits.ts";

/** Of a text that is too long its end tells more: the verdict stands there. */
const HEAD_SHARE = 0.25;

/** A text's head and end, with what is said of the rest between them. */
function cutText(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const head = Math.floor(chars * HEAD_SHARE);
  const left = text.length - chars;
  return `${text.slice(0, head)}\n[${left} characters left out]\n${text.slice(head + left)}`.toWellFormed();
}

/** Of one request whose spec says log_verdicts. What comes first is kept first. */
export class VerdictTexts {
  private left: number;
  /** Some were left out, as all together were too long. */
  dropped = false;

  /** @param chars of all that is kept together */
  constructor(chars: number = LIMITS.logged_verdicts_chars) {
    this.left = chars;
  }

  /** What is kept of a verifier's answer; null: nothing. */
  kept(answer: string): string | null {
    const text = cutText(answer, LIMITS.logged_verdict_chars);
    if (text.length > this.left) {
      this.dropped = true;
      return null;
    }
    this.left -= text.length;
    return text;
  }
}
