// How far a training's steps may overlap before a run counts as having gone back: the server warns then, and the
// run's page says which steps were logged again.

/** Number of later steps that asynchronous trainers begin before a step's last request. */
const STEPS_IN_FLIGHT = 8;
/** The same for the run's first step, at which a trainer's pipeline is empty. */
const FIRST_STEPS_IN_FLIGHT = 2;

/**
 * Whether a request's step goes back further than requests in flight explain.
 * @param later number of later steps that had begun before the request
 */
export const goesBack = (step: number, firstStep: number, later: number): boolean =>
  later > (step <= firstStep ? FIRST_STEPS_IN_FLIGHT : STEPS_IN_FLIGHT);
