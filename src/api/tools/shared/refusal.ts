// Decides which refusals of a spec, and of groups with one, are right although they fit the document.
import { type Refusal, refused } from "./page.ts";

/** Refusals of operations whose body holds a spec, or is one. */
export const specRefusals = (): readonly Refusal[] => [
  refused("C <= M", "(spec\\.)?(overlong|signals\\.\\w+)\\.cache_tokens", "at most max_tokens"),
  {
    ...{ why: "safe expressions", status: 400, code: "unsafe_regex" },
    path: "(spec\\.)?(format|signals\\.\\w+)\\.rules\\[\\]\\.regex",
  },
  refused("expressions over signals", "(spec\\.)?(reward|signals\\.\\w+\\.when)", "^column \\d+: |waits for itself"),
  refused("skip_value beside when", "(spec\\.)?signals\\.\\w+\\.skip_value", "needs `when`"),
  refused("signals of a spec", "(spec\\.)?signals", "signals_max|holds no signal"),
  { why: "a proved range", status: 400, code: "unbounded_reward", path: "(spec\\.)?(reward|signals\\.\\w+(\\.when)?)" },
  { why: "prompts that there are", status: 400, code: "unknown_prompt", path: "(spec\\.)?(.+\\.)?(prompt|preset)" },
  refused(
    "a preset's shape",
    "(spec\\.)?((audit\\.)?judge|signals\\.\\w+\\.judge)\\.(preset|mode|form|images)",
    "looks at one|compares candidates|shows two|form of its own|first wrong step",
  ),
  refused(
    "a vote by letters",
    "(spec\\.)?((audit\\.)?judge|signals\\.\\w+\\.judge)\\.vote",
    "no one token of|letter's probability",
  ),
  refused("a range of samples", "(spec\\.)?((audit\\.)?judge|signals\\.\\w+\\.judge)\\.samples\\.min", "at most max"),
  refused("a spread of several", "(spec\\.)?signals\\.\\w+\\.judge\\.samples", "^must be 2 or more: reduce"),
  refused(
    "what only pairs have",
    "(spec\\.)?((audit\\.)?judge|signals\\.\\w+(\\.judge)?)\\.(samples|both_orders)",
    'needs mode "pairwise"',
  ),
  refused("scores of scores", "(spec\\.)?(judge\\.score|reward|signals\\.\\w+(\\.judge)?\\.score)", "gives scores"),
  refused(
    "settings that a form has or needs",
    "(spec\\.)?signals\\.\\w+\\.(max|bonus|temperature|debias|low|high|timeout_ms|weights|reduce|per_step|beta|url|per_token|power|unreadable|answer_type|tolerance|quantile|undecided)",
    "^only |^has no effect|^goes with reduce|leave it out$|needs the length|below high|^required by|takes |adds already$|without source|above 0$|reads no answers$|counts no votes$",
  ),
  refused(
    "tiers and their judge",
    "(spec\\.)?signals\\.\\w+\\.(tiers|appeal|judge(\\.preset)?)",
    "must be rules, judge|needs both tiers|without the tier|without source|against a reference",
  ),
  refused(
    "a rubric's judge",
    "(spec\\.)?signals\\.\\w+\\.(judge\\.preset|max_criteria|min_coverage)",
    "does not answer for|knows no choices|^implicit_1_10",
  ),
  refused(
    "a rubric's items",
    "(spec\\.)?(signals\\.\\w+\\.items|(groups\\[\\]\\.)?rubric)(\\[\\](\\.\\w+)?)?",
    "says the same as|the same id as|no points below 0|positive points|^required, or",
  ),
  refused("a range that holds something", "(spec\\.)?signals\\.\\w+\\.range", "must be below the (second|highest)"),
  refused(
    "fields of the engine's own, and which",
    "(spec\\.)?((audit\\.)?judge|signals\\.\\w+\\.judge)\\.extra(\\..*)?",
    "of the engine's own|JUDGE_EXTRA|judge_extra_(max|chars)",
  ),
  refused("hosts of the deployment", "spec\\.signals\\.\\w+\\.url", "https|CHECKER_HOSTS|password|not a URL"),
  refused(
    "a schedule fits its mode",
    "(spec\\.)?((audit\\.)?judge|signals\\.\\w+(\\.judge)?)\\.schedule",
    "fit the mode|a group's rollouts alone",
  ),
];

/** Refusals of operations whose body holds groups and a spec. */
export const groupRefusals = (): readonly Refusal[] => [
  { why: "facts of the spec's signals", status: 400, code: "facts_required", path: "(groups\\[\\]\\.)?.+" },
  refused(
    "what a test is",
    "(groups\\[\\]\\.)?test_cases\\[\\]\\.(stdout|assert|fn_name)",
    "exactly one of|either stdout|needs a language|function's name",
  ),
  refused("another group", "groups\\[\\]\\.twin", "another group of the request"),
  refused(
    "numbers that go together",
    "(groups\\[\\]\\.)?rollouts\\[\\]\\.(base_step_logprobs|step_scores|(base_)?reference_logprobs)",
    "numbers for|must be the same",
  ),
  { why: "comparisons of the whole request", status: 400, code: "too_many_generations", path: ".*" },
  { why: "rollouts of the whole request", status: 400, code: "too_many_rollouts", path: "groups" },
  { why: "different programs of a group", status: 400, code: "list_too_long", path: ".*" },
];
