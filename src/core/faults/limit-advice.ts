// Wording of errors about limits: the limit's name, its value, and what to do instead.
import { LIMITS } from "./limits.ts";

export type LimitName = keyof typeof LIMITS;

const REST = "send the rest in another request";
const SHORTEN = "shorten it";

/** Advice on what the user can do instead, per limit. */
export const ADVICE: { readonly [name in LimitName]?: string } = {
  object_keys_max: "send related data as a list or as one text",
  body_keys_max: REST,
  groups_max: REST,
  rollouts_per_group_max:
    "a group is judged as a whole: send fewer rollouts, or rank blocks and then the best of each block",
  rollouts_per_request_max: REST,
  candidate_chars_max: "no rollout is longer",
  prompt_bytes: "send only what the verifier needs",
  messages_max: "merge messages, or drop early ones",
  rollout_messages_max: "merge messages, or drop early ones",
  rollout_files_max: "send only the changed files",
  images_max: "leave out images that the answer does not depend on",
  group_image_bytes: "send smaller images",
  file_path_chars: "shorten it",
  content_parts_max: "merge texts",
  response_items_max: "drop early ones",
  id_chars: "shorten it, or send its hash",
  name_chars: SHORTEN,
  model_chars: "serve the model under a shorter name",
  language_chars: 'send a name such as "python"',
  step_max: "number each run's steps from 0",
  integer_max: "larger integers are not exact in JSON",
  deadline_ms_min: `omit it to use ${LIMITS.deadline_ms_default}`,
  deadline_ms_max: `a batch (Prefer: respond-async on /v1/rewards) may take ${LIMITS.batch_deadline_ms_max}`,
  batch_deadline_ms_max: "send several smaller batches",
  batch_wait_s_max: "poll again after that",
  group_window_ms_max: "set group_size instead",
  client_tries_max: "no client retries more often",
  generations_openai_max: `send fewer groups or samples; VERIFIER_PROTOCOL=verify allows ${LIMITS.generations_verify_max}`,
  generations_verify_max: "send fewer groups or samples",
  samples_max: "send another request with another seed",
  reask_max: "check the verifier's answers: an answer unparsed four times stays unparsed",
  list_candidates_min: "a comparison needs two candidates",
  list_candidates_max: 'use mode "pairwise", or smaller groups',
  decision_candidates_max: 'use the preset decide-pair, or the schedule "blocks"',
  temperature_max: "engines accept no higher value",
  judge_extra_max: "engines need few options",
  judge_extra_chars: "engine options are short",
  max_tokens_max: "lower it, or omit it to use 16384",
  overlong_tokens_max: "count tokens, not characters",
  format_rules_max: "merge rules, or drop some",
  format_penalty_max: "scale rewards in the trainer",
  regex_chars: "shorten it, or split it into several rules",
  metadata_fields_max: "merge some fields into one text",
  metadata_name_chars: SHORTEN,
  metadata_text_chars: "shorten it, or send a link to it",
  label_depth_max: "send a flatter label, or its hash",
  expression_chars: "move part of it to a signal's `when`, or shorten it",
  expression_nodes: "move part of it to a signal's `when`, or shorten it",
  signals_max: "merge signals of one kind, or drop some",
  tests_max: "send results of groups of tests, with their weights",
  test_cases_max: "set the signal's `cases_max`, which runs a sample, or send only cases that distinguish programs",
  test_cases_sent_max: "send a sample of the test cases",
  test_case_chars: "generate large inputs in the program's language, with an assert",
  sandbox_timeout_ms_min: "no interpreter starts faster",
  sandbox_timeout_ms_max: "use smaller inputs",
  checker_url_chars: SHORTEN,
  sandbox_runs_max: "send fewer groups or test cases: every program runs on every test case",
  test_weight_max: "weights are relative to one another",
  solution_steps_max: "merge steps",
  step_text_chars: "split it into several steps",
  rollout_numbers_max: "send only the numbers that signals read",
  softmin_temperature_max: 'higher values are practically the mean: use reduce "mean"',
  log_ratio_beta_max: "send log probabilities, not their sums over rollouts",
  reference_tokens_max: "send only the final answer's tokens",
  logprob_max: "send natural log probabilities, which are at most 0",
  answer_chars: "send only the final answer",
  reference_chars: "send a shorter reference, or fewer references",
  answer_places_max: "name each place once",
  reference_tiers_max: "name each tier once: rules, judge",
  references_max: "send only forms that the rules do not recognise as equal",
  tolerance_max: "round the reference, or send several references",
  repetition_ngram_max: "repeated phrases are shorter",
  rubric_items_max: "merge items, or move some to a second signal",
  rubric_item_chars: "shorten it, or split it into several items",
  rubric_points_max: "points are relative to one another",
  rubric_choices_max: "verifiers cannot distinguish more choices",
  verdict_items_max: REST,
  slot_chars: SHORTEN,
  score_max: "use a smaller scale",
  value_max: "use a smaller scale: sums and squares of values must stay finite",
  strength_scale_max: "beyond it, all scores are practically equal",
  label_chars: SHORTEN,
  labels_max: "send fewer labels",
  template_chars: "shorten its texts",
  template_text_chars: SHORTEN,
  template_messages_max: "merge messages",
  verdict_candidates_max: "options are the letters A to Z: send fewer candidates",
  prefill_chars: "send only the text directly before the completion",
  rescore_specs_max: "rescore fewer steps at a time",
  health_steps_max: "alarms use only the last steps",
  batch_page_rows_max: "follow next_cursor for the rest",
  page_rows_max: "follow next_cursor for the rest",
  replay_letters_max: "call again for the rest",
};

/**
 * Arguments for a schema's bound, as in `.max(...bound("samples_max"))`. The limit's name becomes the message
 * of the issue, and field-errors.ts replaces it with a sentence.
 */
export const bound = <N extends LimitName>(name: N) => [LIMITS[name], name] as const;

/** Whether the message of an issue is the name of a limit, as set by `bound`. */
export const isLimitName = (text: string): text is LimitName => Object.hasOwn(LIMITS, text);

/** The advice as the suffix `; ADVICE`, or an empty string if there is none. */
export function instead(name: LimitName): string {
  const advice = ADVICE[name];
  return advice === undefined ? "" : `; ${advice}`;
}

/** Returns `the limit x_max is 5; ADVICE`. */
export const theLimit = (name: LimitName): string => `the limit ${name} is ${LIMITS[name]}${instead(name)}`;

/** Returns `1 element`, `2 elements`. */
export const counted = (count: number, unit = "element"): string => `${count} ${unit}${count === 1 ? "" : "s"}`;
