// Error conditions of specs and groups that JSON Schema cannot express, for the API reference.
import { type Refusal, refused } from "./page.ts";

/** Error conditions for operations whose body is or contains a spec. */
export const specRefusals = (): readonly Refusal[] => [
  refused("C <= M", "(spec\\.)?(overlong|signals\\.\\w+)\\.cache_tokens", "at most max_tokens"),
  {
    ...{ why: "safe expressions", status: 400, code: "unsafe_regex" },
    path: "(spec\\.)?(format|signals\\.\\w+)\\.rules\\[\\]\\.regex",
  },
  refused("expressions over signals", "(spec\\.)?(reward|signals\\.\\w+\\.when)", "^column \\d+: |depends on itself"),
  refused("skip_value beside when", "(spec\\.)?signals\\.\\w+\\.skip_value", "requires `when`"),
  refused("signals of a spec", "(spec\\.)?signals", "signals_max|at least one signal"),
  { why: "a proved range", status: 400, code: "unbounded_reward", path: "(spec\\.)?(reward|signals\\.\\w+(\\.when)?)" },
  { why: "unknown prompts", status: 400, code: "unknown_prompt", path: "(spec\\.)?(.+\\.)?(prompt|preset)" },
  refused(
    "preset does not fit",
    "(spec\\.)?((audit\\.)?judge|signals\\.\\w+\\.judge)\\.(preset|mode|form|images)",
    "looks at one|compares candidates|shows two|fixed form|first wrong step",
  ),
  refused(
    "a vote by letters",
    "(spec\\.)?((audit\\.)?judge|signals\\.\\w+\\.judge)\\.vote",
    "no single token of|probability of a letter",
  ),
  refused("a range of samples", "(spec\\.)?((audit\\.)?judge|signals\\.\\w+\\.judge)\\.samples\\.min", "at most max"),
  refused("too few samples", "(spec\\.)?signals\\.\\w+\\.judge\\.samples", "^must be at least 2, because reduce"),
  refused(
    "settings of pairwise judges only",
    "(spec\\.)?((audit\\.)?judge|signals\\.\\w+(\\.judge)?)\\.(samples|both_orders)",
    'needs mode "pairwise"',
  ),
  refused("scores of scores", "(spec\\.)?(judge\\.score|reward|signals\\.\\w+(\\.judge)?\\.score)", "gives scores"),
  refused(
    "missing or unsupported settings",
    "(spec\\.)?signals\\.\\w+\\.(max|bonus|temperature|debias|low|high|timeout_ms|weights|reduce|per_step|beta|url|per_token|power|unreadable|answer_type|tolerance|quantile|undecided)",
    "^only |^has no effect|^must be set if|below high|^required by|requires |above 0$",
  ),
  refused(
    "tiers and their judge",
    "(spec\\.)?signals\\.\\w+\\.(tiers|appeal|judge(\\.preset)?)",
    "must be rules, judge|requires both tiers|without the tier|without source|with a reference",
  ),
  refused(
    "a rubric's judge",
    "(spec\\.)?signals\\.\\w+\\.(judge\\.preset|max_criteria|min_coverage)",
    "does not support|implicit_1_10",
  ),
  refused(
    "a rubric's items",
    "(spec\\.)?(signals\\.\\w+\\.items|(groups\\[\\]\\.)?rubric)(\\[\\](\\.\\w+)?)?",
    "the same meaning as|the same id as|negative points|positive points|^required, or",
  ),
  refused("empty range", "(spec\\.)?signals\\.\\w+\\.range", "must be below the (maximum|highest)"),
  refused(
    "reserved or disallowed engine fields",
    "(spec\\.)?((audit\\.)?judge|signals\\.\\w+\\.judge)\\.extra(\\..*)?",
    "of the engine's own|JUDGE_EXTRA|judge_extra_(max|chars)",
  ),
  refused("hosts that the deployment allows", "spec\\.signals\\.\\w+\\.url", "https|CHECKER_HOSTS|password|not a URL"),
  refused(
    "a schedule fits its mode",
    "(spec\\.)?((audit\\.)?judge|signals\\.\\w+(\\.judge)?)\\.schedule",
    "fit the mode|only rollouts of the group",
  ),
];

/** Error conditions for operations whose body contains groups and a spec. */
export const groupRefusals = (): readonly Refusal[] => [
  { why: "facts of the spec's signals", status: 400, code: "facts_required", path: "(groups\\[\\]\\.)?.+" },
  refused(
    "invalid test case",
    "(groups\\[\\]\\.)?test_cases\\[\\]\\.(stdout|assert|fn_name)",
    "exactly one of|either stdout|requires? (the language|fn_name)|function name",
  ),
  refused("another group", "groups\\[\\]\\.twin", "another group of the request"),
  refused(
    "lists of different lengths",
    "(groups\\[\\]\\.)?rollouts\\[\\]\\.(base_step_logprobs|step_scores|(base_)?reference_logprobs)",
    "numbers, but",
  ),
  { why: "too many comparisons in the request", status: 400, code: "too_many_generations", path: ".*" },
  { why: "too many rollouts in the request", status: 400, code: "too_many_rollouts", path: "groups" },
  { why: "too many different programs in a group", status: 400, code: "list_too_long", path: ".*" },
];
