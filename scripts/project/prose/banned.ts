// Forms and names that this project does not use because readers had to guess their meaning, each with a
// replacement. Patterns match one paragraph joined into one line, or one string.

interface BannedForm {
  /** What to write instead. */
  instead: string;
  pattern: RegExp;
}

export const BANNED_FORMS: readonly BannedForm[] = [
  {
    instead: "begin with the noun or the verb",
    pattern: /^(?:Of (?!course\b)|What (?!is |are |does |do |to )|Whose |That which |As (?:many|much|often|long|few) )/,
  },
  {
    instead: "begin with the noun: 'The first judge', not 'The one that'",
    pattern: /^(?:The one|One) (?:that|which|whose) /,
  },
  { instead: "a file's header says what problem it solves", pattern: /^(?:Owns|Knows no|Knows nothing) / },
  { instead: "'is passed', 'receives', 'is notified'", pattern: /\b(?:is|are|was|were|be|been|not) told\b/i },
  { instead: "'reports', 'returns', 'distinguishes'", pattern: /\btold (?:of|about|by|in|when|that|as)\b/i },
  { instead: "'reports', 'returns', 'distinguishes'", pattern: /\btells (?:apart|of|whether|what|which|how)\b/i },
  { instead: "'depends on'", pattern: /\bhang(?:s|ing)? on\b/i },
  { instead: "'without', 'among'", pattern: /\b(?:for want of|amid)\b/i },
  { instead: "'by itself', 'because of'", pattern: /\b(?:(?:by|of) its doing|whose doing)\b/i },
  { instead: "'custom', 'separate' or a possessive", pattern: /\bof (?:one's|its|their|your|our) own\b/i },
  {
    instead: "'not a number', 'no caller'",
    pattern: /(?<!\bthere )\b(?:is|are|was) no (?!longer\b|more\b|different\b|\d)[a-z]+/i,
  },
  { instead: "name who does not: 'no caller', 'no reader'", pattern: /\bnobody\b/i },
  {
    instead: "'N', 'equally often', 'no longer'",
    pattern: /\b(?:so many|so often|as often again|no more (?!than\b))/i,
  },
  { instead: "'is'", pattern: /\b(?:stands?|stood) (?:in|on|at|beside|behind|there|for it|here|as|alone)\b/i },
  { instead: "'results from'", pattern: /\b(?:comes?|came) of\b/i },
  { instead: "'lower case'", pattern: /\bsmall letters\b/i },
];

/** Names that say nothing of a value, each with what to think of instead. */
export const BANNED_NAMES: ReadonlyMap<string, string> = new Map([
  ...["of", "about", "by", "whose"].map((name) => [name, "the subject's noun"] as const),
  ...["own", "one", "kept", "put", "meant", "told", "again", "standing"].map(
    (name) => [name, "the value's noun"] as const,
  ),
  ...["most", "least"].map((name) => [name, "max and min with a noun and a unit"] as const),
  ...["party", "pot", "desk", "belated", "aside", "aids"].map(
    (name) => [name, "the field's term, such as tenant"] as const,
  ),
  ...["hold", "letsGo", "tell"].map((name) => [name, "a verb that says what is done"] as const),
]);
