import { setTimeout as delay } from "node:timers/promises";
import type { Gateway } from "../chaos/system/service-process.ts";

/** A load balancer for two gateways: it sends to those that are in, and waits for those it takes out. */
export class BalancedGateways {
  readonly #underway: number[];
  readonly #in: boolean[];
  #turn = 0;

  constructor(gateways: readonly Gateway[]) {
    this.#underway = gateways.map(() => 0);
    this.#in = gateways.map(() => true);
  }

  /** Does `work` with the index of one gateway, which stays in until it is done. */
  async use<Result>(work: (gateway: number) => Promise<Result>): Promise<Result> {
    const gateway = this.#next();
    this.#underway[gateway]! += 1;
    try {
      return await work(gateway);
    } finally {
      this.#underway[gateway]! -= 1;
    }
  }

  /** Sends the gateway no requests while `work` runs. */
  async without(gateway: number, work: () => Promise<void>): Promise<void> {
    this.#in[gateway] = false;
    while (this.#underway[gateway]! > 0) await delay(20);
    await work();
    this.#in[gateway] = true;
  }

  #next(): number {
    const { length } = this.#in;
    for (let tried = 0; tried < length; tried++) {
      const gateway = this.#turn++ % length;
      if (this.#in[gateway]) return gateway;
    }
    throw new Error("no gateway is in");
  }
}
