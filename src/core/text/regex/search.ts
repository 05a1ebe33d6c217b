// Searches a string for an expression in linear time, with a DFA whose states are built lazily. Independent
// of the syntax.
import { type Characters, PERL } from "./characters.ts";
import type { Place, Regex } from "./parse.ts";

/** An instruction of the NFA. `next` and `or` are indices into the program. */
type Instruction =
  | { readonly is: "one"; readonly set: number; next: number }
  | { readonly is: "place"; readonly place: Place; next: number }
  | { readonly is: "branch"; next: number; or: number }
  | { readonly is: "found" };

/** Maximum number of cached states. The cache is cleared when it is full. */
const STATES_MOST = 4_000;

interface Program {
  readonly instructions: readonly Instruction[];
  readonly start: number;
  readonly sets: readonly Characters[];
}

/** Thompson's construction, from the end of the expression to its start. */
function compile(regex: Regex): Program {
  const instructions: Instruction[] = [{ is: "found" }];
  const sets = new Map<string, Characters>();
  const add = (instruction: Instruction) => instructions.push(instruction) - 1;
  const setOf = (set: Characters) => {
    if (!sets.has(set.name)) sets.set(set.name, set);
    return [...sets.keys()].indexOf(set.name);
  };
  const before = (part: Regex, next: number): number => {
    if (part.is === "one") return add({ is: "one", set: setOf(part.characters), next });
    if (part.is === "place") return add({ is: "place", place: part.place, next });
    if (part.is === "sequence") return part.parts.reduceRight((at, child) => before(child, at), next);
    if (part.is === "either") {
      const [first, ...others] = part.parts.map((child) => before(child, next));
      return others.reduce((at, or) => add({ is: "branch", next: at, or }), first as number);
    }
    const { min, max, operand } = part;
    let at = next;
    if (max === null) {
      const loop: Instruction = { is: "branch", next: 0, or: next };
      at = add(loop);
      loop.next = before(operand, at);
      // The last required copy of the operand is also the one that repeats.
      if (min > 0) at = loop.next;
    } else {
      for (let i = min; i < max; i++) at = add({ is: "branch", next: before(operand, at), or: next });
    }
    for (let i = max === null ? 1 : 0; i < min; i++) at = before(operand, at);
    return at;
  };
  const start = before(regex, 0);
  return { instructions, start, sets: [...sets.values()] };
}

/**
 * An equivalence class of characters: which sets contain them, whether they end a line, and whether they
 * belong to words.
 */
interface Letter {
  readonly id: number;
  readonly within: readonly boolean[];
  readonly line: boolean;
  readonly word: boolean;
  /** Whether this is a line feed at the end of the text. */
  readonly isLast: boolean;
}

const WORD = PERL.w as Characters;

/**
 * Maps characters to equivalence classes: characters that are in the same sets share a class. Each character
 * is classified only once.
 */
class Alphabet {
  readonly #sets: readonly Characters[];
  readonly #letters: Letter[] = [];
  readonly #known = new Map<string, number>();
  #lastFeed: number | undefined;
  /**
   * Class ids plus one, in pages of 256 characters. A page is allocated when one of its characters first
   * occurs.
   */
  readonly #pages: (Uint16Array | undefined)[] = [];

  constructor(sets: readonly Characters[]) {
    this.#sets = sets;
  }

  /** The class of a line feed at the end of the text. */
  lastFeed(): Letter {
    this.#lastFeed ??= this.#look(10, true);
    return this.#letters[this.#lastFeed] as Letter;
  }

  letterOf(codePoint: number): Letter {
    this.#pages[codePoint >> 8] ??= new Uint16Array(256);
    const page = this.#pages[codePoint >> 8] as Uint16Array;
    page[codePoint & 255] ||= this.#look(codePoint) + 1;
    return this.#letters[(page[codePoint & 255] as number) - 1] as Letter;
  }

  #look(codePoint: number, isLast = false): number {
    const within = this.#sets.map(({ has }) => has(codePoint));
    const line = codePoint === 10;
    const word = WORD.has(codePoint);
    const key = [isLast, line, word, ...within].map(Number).join("");
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const id = this.#letters.length;
    this.#known.set(key, id);
    this.#letters.push({ id, within, line, word, isLast });
    return id;
  }
}

/** A state of the DFA, between two characters. `null` in `next` means a match. */
interface State {
  /** The NFA instructions that are active in this state, in addition to the program's start. */
  readonly at: readonly number[];
  /** The class of the previous character; null at the start of the text. */
  readonly last: Letter | null;
  readonly next: (State | null | undefined)[];
}

const holds = (place: Place, last: Letter | null, letter: Letter | null): boolean => {
  switch (place) {
    case "text_start":
      return last === null;
    case "text_end":
      return letter === null;
    case "last_line_end":
      return letter === null || letter.isLast;
    case "line_start":
      return last === null || last.line;
    case "line_end":
      return letter === null || letter.line;
    case "word_edge":
      return (last?.word ?? false) !== (letter?.word ?? false);
    case "no_word_edge":
      return (last?.word ?? false) === (letter?.word ?? false);
  }
};

/** Searches strings for one expression. The states are cached across searches. */
export class RegexSearch {
  readonly #program: Program;
  readonly #alphabet: Alphabet;
  readonly #seen: Uint8Array;
  readonly #entered: Uint8Array;
  readonly #open: Uint16Array;
  #takers = 0;
  #states = new Map<string, State>();
  #start: State = { at: [], last: null, next: [] };

  /**
   * @param regex an expression whose repetitions `regexShape` has bounded, because they are expanded into
   * instructions
   */
  constructor(regex: Regex) {
    this.#program = compile(regex);
    this.#alphabet = new Alphabet(this.#program.sets);
    const { length } = this.#program.instructions;
    this.#seen = new Uint8Array(length);
    this.#entered = new Uint8Array(length);
    this.#open = new Uint16Array(length);
  }

  /**
   * Whether the expression matches anywhere in a string. Takes at most `instructions` steps per character.
   */
  test(text: string): boolean {
    let state = this.#start;
    for (let at = 0; at < text.length; at++) {
      const codePoint = text.codePointAt(at) as number;
      if (codePoint > 0xffff) at++;
      const isLastFeed = codePoint === 10 && at === text.length - 1;
      const letter = isLastFeed ? this.#alphabet.lastFeed() : this.#alphabet.letterOf(codePoint);
      const known = state.next[letter.id];
      const next: State | null = known === undefined ? this.#after(state, letter) : known;
      if (next === null) return true;
      state = next;
    }
    return this.#enter(state, null);
  }

  /** Computes and caches the state after a character; null if a match ends before the character. */
  #after(state: State, letter: Letter): State | null {
    const { instructions } = this.#program;
    const found = this.#enter(state, letter);
    if (!found) {
      this.#entered.fill(0);
      for (let i = 0; i < this.#takers; i++) {
        const instruction = instructions[this.#open[i] as number] as Instruction & { is: "one" };
        if (letter.within[instruction.set]) this.#entered[instruction.next] = 1;
      }
    }
    const next = found ? null : this.#state(letter);
    state.next[letter.id] = next;
    return next;
  }

  /** Returns the state for the instructions marked in `#entered`, from the cache if possible. */
  #state(letter: Letter): State {
    const at: number[] = [];
    for (let i = 0; i < this.#entered.length; i++) if (this.#entered[i] === 1) at.push(i);
    const key = String.fromCharCode(Number(letter.line) + 2 * Number(letter.word), ...at);
    const known = this.#states.get(key);
    if (known !== undefined) return known;
    if (this.#states.size >= STATES_MOST) {
      this.#states = new Map();
      this.#start = { at: [], last: null, next: [] };
    }
    const state: State = { at, last: letter, next: [] };
    this.#states.set(key, state);
    return state;
  }

  /**
   * Whether a match ends here. If not, the first `#takers` entries of `#open` are the character instructions
   * that can be reached without consuming a character.
   */
  #enter({ at, last }: State, letter: Letter | null): boolean {
    const { instructions, start } = this.#program;
    const open = this.#open;
    const seen = this.#seen.fill(0);
    let takers = 0;
    // `#open` holds character instructions at the front and a stack of pending instructions at the back.
    // Every instruction is in only one of the two parts, so they never overlap.
    let top = open.length;
    const push = (i: number) => {
      if (seen[i] === 1) return;
      seen[i] = 1;
      open[--top] = i;
    };
    push(start);
    for (const i of at) push(i);
    while (top < open.length) {
      const i = open[top++] as number;
      const instruction = instructions[i] as Instruction;
      if (instruction.is === "found") return true;
      if (instruction.is === "one") open[takers++] = i;
      else if (instruction.is === "branch") {
        push(instruction.or);
        push(instruction.next);
      } else if (holds(instruction.place, last, letter)) push(instruction.next);
    }
    this.#takers = takers;
    return false;
  }
}
