// The alerts that fire, in the time of their rules.
import { expect } from "vitest";
import { eventually } from "../support/index.ts";
import type { Prometheus } from "./prometheus.ts";

const WITHIN = 5;
const QUIET_AFTER = 15;

/** Labels by which an alert is known. */
export type Page = { alertname: string } & Record<string, string>;

export type Outage = {
  begin: () => void | Promise<void>;
  mend: () => void | Promise<void>;
  /** The pages that have to fire, each once. */
  pages: Page[];
  /** Pages of the same outage that depend on how long it lasts. No other page may fire. */
  also?: Page[];
  /** Minutes until the pages fire. */
  within?: number;
};

export class AlertWatch {
  /** A line for each outage. */
  readonly reports: string[];
  readonly #prometheus: Prometheus;
  readonly #times: number;

  /** @param times how many times faster the rules' time passes. */
  constructor(prometheus: Prometheus, times: number) {
    this.#prometheus = prometheus;
    this.#times = times;
    this.reports = [`Prometheus ${prometheus.version}, ${times} times faster`];
  }

  /** The alerts that fire during so many minutes. */
  async firedWithin(minutes: number, severity?: "page"): Promise<string[]> {
    const fired = new Set<string>();
    const until = performance.now() + this.#ms(minutes);
    await eventually(
      async () => {
        for (const alert of await this.#prometheus.firing())
          if (severity === undefined || alert.severity === severity) fired.add(JSON.stringify(alert.labels));
        return performance.now() > until;
      },
      { withinMs: this.#ms(minutes + 1) + 30_000, everyMs: 500 },
    );
    return [...fired];
  }

  /** Expects the outage's pages in their time, no other page, and none fifteen minutes after the repair. */
  async expectOutage(what: string, outage: Outage): Promise<void> {
    const { begin, mend, pages, also = [], within = WITHIN } = outage;
    expect(await this.#pages(), `before: ${what}`).toEqual([]);
    const seen = new Map<string, Record<string, string>>();
    const look = async () => {
      const firing = await this.#pages();
      for (const labels of firing) seen.set(JSON.stringify(labels), labels);
      return firing;
    };
    const begunAt = performance.now();
    try {
      await begin();
      await this.#expectAll(pages, { look, within });
    } finally {
      await mend();
    }
    const mendedAt = performance.now();
    await this.#expectNone(look);
    const inMinutes = (ms: number) => ((ms * this.#times) / 60_000).toFixed(1);
    const quietAfter = inMinutes(performance.now() - mendedAt);
    this.reports.push(
      `${what}: told after ${inMinutes(mendedAt - begunAt)} min, quiet ${quietAfter} min after its mend`,
    );
    expect(pagesBeyond([...seen.values()], [...pages, ...also]), `besides: ${what}`).toEqual([]);
  }

  /** Expects these alerts for a disturbance that is not an outage; others may fire, too. */
  async expectFiring(alerts: Page[], within = WITHIN): Promise<void> {
    const look = async () => (await this.#prometheus.firing()).map(({ labels }) => labels);
    await this.#expectAll(alerts, { look, within });
  }

  async expectQuiet(): Promise<void> {
    await this.#expectNone(() => this.#pages());
  }

  async #expectAll(alerts: Page[], { look, within }: { look: Look; within: number }): Promise<void> {
    await eventually(
      async () => {
        const labels = await look();
        for (const alert of alerts) expect(labels).toContainEqual(expect.objectContaining(alert));
      },
      { withinMs: this.#ms(within), everyMs: 250 },
    );
  }

  async #expectNone(look: Look): Promise<void> {
    await eventually(async () => expect(await look()).toEqual([]), {
      withinMs: this.#ms(QUIET_AFTER),
      everyMs: 250,
    });
  }

  /** One-time notices stay for an hour, which says nothing about an outage. */
  async #pages(): Promise<Record<string, string>[]> {
    return (await this.#prometheus.firing())
      .filter(({ severity }) => severity === "page")
      .map(({ labels }) => labels);
  }

  #ms(minutes: number): number {
    return (minutes * 60_000) / this.#times;
  }
}

type Look = () => Promise<Record<string, string>[]>;

/** The pages that are left after each expected page has accounted for one. */
export function pagesBeyond(
  seen: readonly Record<string, string>[],
  expected: readonly Page[],
): Record<string, string>[] {
  const left = [...seen];
  for (const page of expected) {
    const names = Object.keys(page);
    const at = left.findIndex((labels) => names.every((name) => labels[name] === page[name]));
    if (at !== -1) left.splice(at, 1);
  }
  return left;
}
