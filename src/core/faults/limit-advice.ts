// Defines what a refusal says of a limit: its name, its value, and what to do instead.
import { LIMITS } from "./limits.ts";

export type LimitName = keyof typeof LIMITS;

const REST = "send the rest in another request";
const SHORTEN = "shorten it";

/** What to do instead, by the limit that is in the way. */
export const ADVICE: { readonly [name in LimitName]?: string } = {
  object_keys_max: "send what belongs together as a list, or as a text",
  body_keys_max: REST,
  groups_max: REST,
  rollouts_per_group_max: "a group is judged whole: send fewer, or rank in blocks and the best of each once more",
  rollouts_per_request_max: REST,
  candidate_chars_max: "no rollout holds more",
  prompt_bytes: "send only what the verifier needs",
  messages_max: "join messages, or drop early ones",
  rollout_messages_max: "join messages, or drop early ones",
  rollout_files_max: "send the files that were changed",
  images_max: "leave out what nobody needs to see",
  group_image_bytes: "send smaller images",
  file_path_chars: "shorten it",
  content_parts_max: "join texts",
  response_items_max: "drop early ones",
  id_chars: "shorten it, or send its hash",
  name_chars: SHORTEN,
  model_chars: "serve the model under a shorter name",
  language_chars: 'send a name such as "python"',
  step_max: "number each run's steps from 0",
  integer_max: "larger integers are not exact in JSON",
  deadline_ms_min: `leave it out for ${LIMITS.deadline_ms_default}`,
  deadline_ms_max: `a batch (Prefer: respond-async on /v1/rewards) may take ${LIMITS.batch_deadline_ms_max}`,
  batch_deadline_ms_max: "send several smaller batches",
  batch_wait_s_max: "ask again after that",
  group_window_ms_max: "name group_size instead",
  client_tries_max: "no client asks more often",
  generations_openai_max: `send fewer groups or samples; VERIFIER_PROTOCOL=verify allows ${LIMITS.generations_verify_max}`,
  generations_verify_max: "send fewer groups or samples",
  samples_max: "send another request with another seed",
  reask_max: "look at the verifier's answers: what is unparsed four times stays so",
  list_candidates_min: "a comparison needs two",
  list_candidates_max: 'use mode "pairwise", or smaller groups',
  temperature_max: "engines take no more",
  judge_extra_max: "an engine needs few",
  judge_extra_chars: "an engine's options are short",
  max_tokens_max: "lower it, or leave it out for 16384",
  overlong_tokens_max: "count tokens, not characters",
  format_rules_max: "join rules, or drop some",
  format_penalty_max: "scale rewards in the trainer",
  regex_chars: "shorten it, or make it several rules",
  metadata_fields_max: "join some in one text",
  metadata_name_chars: SHORTEN,
  metadata_text_chars: "shorten it, or say where it stands",
  label_depth_max: "send a flatter label, or its hash",
  expression_chars: "give a part of it to a signal's `when`, or drop some",
  expression_nodes: "give a part of it to a signal's `when`, or drop some",
  signals_max: "join signals of one kind, or drop some",
  tests_max: "send results of groups of tests, with their weight",
  test_cases_max: "set the signal's `cases_max`, which runs a sample, or keep those that tell programs apart",
  test_cases_sent_max: "send a sample of them",
  test_case_chars: "generate large inputs in the program's own language, by an assert",
  sandbox_timeout_ms_min: "no interpreter starts sooner",
  sandbox_timeout_ms_max: "use smaller inputs",
  checker_url_chars: SHORTEN,
  sandbox_runs_max: "send fewer groups or test cases: every program is run on every case",
  test_weight_max: "weights count relative to one another",
  solution_steps_max: "join steps",
  step_text_chars: "cut it into several steps",
  rollout_numbers_max: "send only the numbers that signals read",
  softmin_temperature_max: 'that is the mean: use reduce "mean"',
  log_ratio_beta_max: "send log probabilities, and not their sums over rollouts",
  reference_tokens_max: "send the final answer's tokens only",
  logprob_max: "send natural log probabilities, which are at most 0",
  answer_chars: "send the final answer alone",
  reference_chars: "send a shorter reference, or fewer",
  answer_places_max: "name each place once",
  reference_tiers_max: "name each tier once: rules, judge",
  references_max: "send the forms that rules cannot tell to be equal",
  tolerance_max: "round the reference, or send several",
  repetition_ngram_max: "what repeats is shorter",
  rubric_items_max: "join items, or give some to a second signal",
  rubric_item_chars: "say it in fewer words, or make it several items",
  rubric_points_max: "points count relative to one another",
  rubric_choices_max: "a judge tells no more apart",
  verdict_items_max: REST,
  slot_chars: SHORTEN,
  score_max: "use a smaller scale",
  value_max: "use a smaller scale: sums and squares of values must stay finite",
  strength_scale_max: "beyond it all scores are as good as equal",
  label_chars: SHORTEN,
  labels_max: "send fewer",
  template_chars: "shorten its texts",
  template_text_chars: SHORTEN,
  template_messages_max: "join messages",
  verdict_candidates_max: "options are the letters A to Z: send fewer",
  prefill_chars: "send only what stands right before the completion",
  rescore_specs_max: "score fewer steps again at a time",
  health_steps_max: "alarms look at the last steps",
  batch_page_rows_max: "follow next_cursor for the rest",
  page_rows_max: "follow next_cursor for the rest",
  replay_letters_max: "call again for the rest",
};

/**
 * A schema's bound by its limit's name: `.max(...bound("samples_max"))`. Whoever words the fault
 * reads the name as its message.
 */
export const bound = <N extends LimitName>(name: N) => [LIMITS[name], name] as const;

/** Whether a schema's message is a limit's name, left there by `bound`. */
export const isLimitName = (text: string): text is LimitName => Object.hasOwn(LIMITS, text);

/** `; what to do instead`, or nothing where no advice is known. */
export function instead(name: LimitName): string {
  const advice = ADVICE[name];
  return advice === undefined ? "" : `; ${advice}`;
}

/** `the limit x_max is 5; what to do instead`. */
export const theLimit = (name: LimitName): string => `the limit ${name} is ${LIMITS[name]}${instead(name)}`;

/** `1 element`, `2 elements`. */
export const counted = (count: number, unit = "element"): string => `${count} ${unit}${count === 1 ? "" : "s"}`;
