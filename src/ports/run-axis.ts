// Owns what a run's rows are laid out over. Interfaces only.

/**
 * The trainer's steps; or, where a tool tells none, windows: the run's requests without a step, in
 * order of logging, window k those that begin within the groups from k * window_groups on. A
 * request is in one window, and one without groups counts as a group.
 */
export type RunAxis = { by: "step" } | { by: "window"; window_groups: number };

export const BY_STEP: RunAxis = { by: "step" };
