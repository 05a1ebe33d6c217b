// Decides when engines are added and taken away: by how long work would wait at the gateways.
import type { Gateway } from "./gateway.ts";
import type { Autoscaler } from "./setting.ts";
import type { Timeline } from "./timeline.ts";

/** A model with GPUs. */
interface Scalable {
  readonly timeline: Timeline;
  readonly gateways: readonly Gateway[];
  /** GPUs paid, and of these those that take work. */
  readonly paid: number;
  readonly working: number;
  /** Pays one more. @returns what puts its engine to work */
  buy(): () => void;
  /** Takes one away that has nothing to do; whether there was one. */
  sell(): boolean;
}

/**
 * Looks at the queue at a fixed interval. Where waiting work would wait longer than allowed, it buys as many
 * engines as would work it off in that time, counting those that run and start; each takes work `start_s`
 * later. Where nothing has waited for `idle_s` it takes one idle engine away.
 */
export function autoscale(model: Scalable, { min, max, every_s, wait_s, up, start_s, idle_s }: Autoscaler): void {
  const { timeline } = model;
  let quietSince = 0;
  const look = () => {
    const wait = Math.max(...model.gateways.map((gateway) => gateway.wait_s));
    if (model.gateways.some(({ queued }) => queued > 0)) quietSince = timeline.now;
    if (wait > wait_s) {
      const wanted = Math.ceil((model.working * wait) / wait_s);
      const more = Math.min(up, max - model.paid, wanted - model.paid);
      for (let n = 0; n < more; n++) timeline.after(start_s, model.buy());
    } else if (timeline.now - quietSince >= idle_s && model.paid > min && model.sell()) {
      quietSince = timeline.now;
    }
    timeline.after(every_s, look);
  };
  timeline.after(every_s, look);
}
