// Owns the test cases that a group brings for its rollouts' programs to be run on.

import * as z from "zod";
import { said } from "#said";
import { anyText, someOf, someText } from "../faults/bounded.ts";
import { bound } from "../faults/limit-advice.ts";

const Text = anyText("test_case_chars");

/** What a test counts. */
export const TestWeightSchema = z
  .number()
  .min(0)
  .max(...bound("test_weight_max"))
  .default(1);
export const SubtaskSchema = someText("name_chars").optional().meta(said("the subtask that it belongs to"));

const TestCaseSchema = z
  .strictObject({
    stdin: Text.optional().meta(said("what the program reads; default nothing")),
    stdout: Text.optional().meta(
      said("what it must write, line by line but for blanks at a line's end and empty lines at the end"),
    ),
    assert: Text.min(1)
      .optional()
      .meta(said("code behind the program that ends in an error where it is wrong; Python and JavaScript")),
    weight: TestWeightSchema,
    group: SubtaskSchema,
  })
  .refine(({ stdout, assert }) => (stdout === undefined) !== (assert === undefined), {
    path: ["stdout"],
    message: "a test has either stdout or assert",
  });
export type TestCase = z.output<typeof TestCaseSchema>;

export const TestCasesSchema = someOf(TestCaseSchema, "test_cases_max").meta(
  said("what a sandbox runs the rollouts' programs on, for a signal of the kind tests"),
);
