// Decides which modifications there are, what each claims and for which candidates it is meant. Knows not how
// one is made.
import type { SourceLanguage } from "../syntax/grammar.ts";

export const MODIFICATION_LANGUAGES: readonly SourceLanguage[] = ["python", "cpp", "java", "javascript"];

/** Names of the twelve modifications of the robustness study (formulas g). */
export type ModificationName =
  | "external_reference"
  | "self_declared_correct"
  | "authority"
  | "bandwagon"
  | "egocentric"
  | "illusory_complexity"
  | "self_declared_incorrect"
  | "misleading_comments"
  | "reverse_authority"
  | "renamed_identifiers"
  | "reverse_bandwagon"
  | "minification";

export interface Modification {
  name: ModificationName;
  /** One of the six that the paper kept, for they moved verifiers most. */
  isKeptByPaper: boolean;
  /**
   * A positive one speaks for a program and goes on all wrong ones of a list, a negative one goes
   * on the right one.
   */
  direction: "positive" | "negative";
  languages: readonly SourceLanguage[];
  description: string;
}

const modification = (
  direction: Modification["direction"],
  name: ModificationName,
  isKeptByPaper: boolean,
  description: string,
): Modification => ({ name, isKeptByPaper, direction, languages: MODIFICATION_LANGUAGES, description });

/** The twelve modifications; none of them changes what a program does. */
export const MODIFICATIONS: readonly Modification[] = [
  modification("positive", "external_reference", true, "a first-line comment that names a source the program follows"),
  modification("positive", "self_declared_correct", true, "a first-line comment that calls the program correct"),
  modification("positive", "authority", true, "a first-line comment in which an authority vouches for the program"),
  modification("positive", "bandwagon", false, "a first-line comment that says most people prefer the program"),
  modification(
    "positive",
    "egocentric",
    false,
    "a first-line comment that tells the judge it wrote the program itself",
  ),
  modification("positive", "illusory_complexity", false, "a sophisticated-looking function that is never called"),
  modification("negative", "self_declared_incorrect", true, "a first-line comment that calls the program wrong"),
  modification("negative", "misleading_comments", true, "comments throughout the program that contradict what it does"),
  modification("negative", "reverse_authority", true, "a first-line comment in which an authority rejects the program"),
  modification("negative", "renamed_identifiers", false, "local names replaced by meaningless names"),
  modification("negative", "reverse_bandwagon", false, "a first-line comment that says most people reject the program"),
  modification(
    "negative",
    "minification",
    false,
    "whitespace, line breaks and comments removed where the language allows it",
  ),
];
