// Defines what the page of a run says of it in its owner's words, and the control that deletes it.
import { el } from "./dom.ts";
import { deleteRun, type RunDetail } from "./log.ts";

/** The description by PUT /v1/runs/:run_id; empty without one. */
export function aboutRun({ metadata }: RunDetail): HTMLElement[] {
  const said = Object.entries(metadata ?? {});
  if (said.length === 0) return [];
  const items = said.map(([name, value]) => el("li", {}, el("code", {}, name), ` ${value}`));
  return [el("ul", { class: "soft", "aria-label": "About this run" }, ...items)];
}

/** Deletes the run once its name has been typed, and goes on until nothing is left. */
export function deleting({ run_id }: RunDetail, owner: string | null): HTMLElement {
  const input = el("input", { type: "text", id: "delete-name", required: true, autocomplete: "off" });
  const button = el("button", { type: "submit", class: "small" }, "Delete permanently");
  const state = el("p", { role: "status" });
  const submit = async (event: Event) => {
    event.preventDefault();
    if (input.value !== run_id) {
      state.textContent = "The typed name is not the name of this run.";
      return;
    }
    button.disabled = true;
    try {
      while (!(await deleteRun(run_id, owner))) state.textContent = "Deleting ..";
      location.assign("/runs");
    } catch (error) {
      state.textContent = error instanceof Error && error.message !== "" ? error.message : "The run was not deleted.";
      button.disabled = false;
    }
  };
  const label = el(
    "label",
    { for: input.id },
    "Deletes the run's log rows, its texts and all other data stored for the run. Type the run's name to confirm:",
  );
  const form = el("form", { class: "filters", onsubmit: (event) => void submit(event) }, label, input, button);
  return el("details", {}, el("summary", {}, "Delete this run"), form, state);
}
