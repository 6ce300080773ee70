import { setTimeout as delay } from "node:timers/promises";
import type { OperatorAnswer, OperatorClient } from "./client/operator-client.ts";
import type { Random } from "./random.ts";
import type { Shop } from "./system/onboard-merchant.ts";
import type { Operators } from "./system/operators.ts";

/** Operators who decide on refunds, and rotate the merchants' webhook secrets, until they go home. */
export type OperatorsAtWork = {
  /** From now on all pending refunds are decided, even those that were meant to be left. */
  clearTheDesk(): void;
  goHome(): Promise<void>;
};

/** A waiting refund as operators see it. */
type WaitingRefund = { refundId: string; requestedBy?: string };

export async function startOperators(
  operators: Operators,
  random: Random,
  shops: readonly Shop[],
): Promise<OperatorsAtWork> {
  const staff = await Promise.all(["olga", "bora", "cem"].map((name) => operators.as(name)));
  const over = new AbortController();
  const desk = new Desk(staff as [OperatorClient, ...OperatorClient[]], random);
  const working = Promise.all([
    every(ROUND_MS, over.signal, () => desk.clearQueue()),
    every(ROTATION_MS, over.signal, (round) => desk.rotateSecret(shops[round % shops.length])),
  ]);
  return {
    clearTheDesk: () => desk.leaveNothing(),
    async goHome() {
      over.abort();
      await working;
    },
  };
}

const ROUND_MS = 500;
const LEFT_MAX = 20;
const ROTATION_MS = 12_000;

async function every(ms: number, over: AbortSignal, work: (round: number) => Promise<void>): Promise<void> {
  for (let round = 0; !over.aborted; round++) {
    await work(round);
    await delay(ms, undefined, { signal: over }).catch(() => undefined);
  }
}

class Desk {
  readonly #staff: readonly [OperatorClient, ...OperatorClient[]];
  readonly #random: Random;
  /** Refunds that somebody left for later. */
  readonly #left = new Set<string>();
  /** Merchants for which a secret was generated whose answer was lost. */
  readonly #unsure = new Set<string>();
  #leavesSome = true;

  constructor(staff: readonly [OperatorClient, ...OperatorClient[]], random: Random) {
    this.#staff = staff;
    this.#random = random;
  }

  leaveNothing(): void {
    this.#leavesSome = false;
  }

  async clearQueue(): Promise<void> {
    const answer = await this.#anybody().read("/operator/refunds?status=PENDING_APPROVAL&limit=50");
    const { items = [] } = (answer.body ?? {}) as { items?: WaitingRefund[] };
    await Promise.all(items.map((refund) => this.#decide(refund)));
  }

  /**
   * Decides a refund by two people together, by one alone or twice, or not for now. The next round finds the
   * refunds that still wait, whatever the answers were.
   */
  async #decide(refund: WaitingRefund): Promise<void> {
    const { refundId } = refund;
    if (this.#leavesSome && this.#left.has(refundId)) return;
    const [one, other] = this.#two();
    switch (
      this.#random.weighted({ approve: 8, both: 3, twice: 2, reject: 3, quarrel: 2, own: 2, leave: 1 })
    ) {
      case "approve":
        return void (await approve(one, refundId));
      case "both":
        return void (await Promise.all([approve(one, refundId), approve(other, refundId)]));
      case "twice":
        return void (await Promise.all([approve(one, refundId), approve(one, refundId)]));
      case "reject":
        return void (await reject(one, refundId));
      case "quarrel":
        return void (await Promise.all([approve(one, refundId), reject(other, refundId)]));
      case "own": {
        const requester = this.#staff.find(({ name }) => name === refund.requestedBy);
        return void (await approve(requester ?? one, refundId));
      }
      case "leave":
        // The queue's first page must not fill with refunds that are left for later, which would hide the
        // rest.
        if (this.#leavesSome && this.#left.size < LEFT_MAX && this.#random.chance(0.5))
          this.#left.add(refundId);
        return;
    }
  }

  /**
   * Ends a merchant's rotations once a generated secret may have been lost with its answer: the merchant then
   * has no next secret to use.
   */
  async rotateSecret(shop: Shop | undefined): Promise<void> {
    if (!shop || this.#unsure.has(shop.merchant.merchantId)) return;
    const { merchantId } = shop.merchant;
    const path = `/operator/merchants/${merchantId}/webhook`;
    const change = (action: string, what: string) =>
      this.#staff[0].change({ action, method: "POST", path: `${path}/${what}`, subject: merchantId });
    const { status, bytesSent, body } = await change("webhook.secret_rotated", "rotate-secret");
    const { secret } = (body ?? {}) as { secret?: string };
    if (secret === undefined) {
      if (bytesSent && status !== 503) this.#unsure.add(merchantId);
      return;
    }
    shop.secrets.push(secret);
    for (let attempt = 0; attempt < ACTIVATIONS_MAX; attempt++) {
      const answer = await change("webhook.secret_activated", "activate-secret");
      if (answer.status === 204) return;
      await delay(ROUND_MS);
    }
  }

  #anybody(): OperatorClient {
    return this.#two()[0];
  }

  #two(): [OperatorClient, OperatorClient] {
    const first = this.#random.integer(0, this.#staff.length - 1);
    const second = (first + this.#random.integer(1, this.#staff.length - 1)) % this.#staff.length;
    return [this.#staff[first] ?? this.#staff[0], this.#staff[second] ?? this.#staff[0]];
  }
}

const ACTIVATIONS_MAX = 5;

export async function approve(operator: OperatorClient, refundId: string): Promise<OperatorAnswer> {
  const path = `/operator/refunds/${refundId}/approve`;
  return await operator.change({ action: "refund.approved", method: "POST", path, subject: refundId });
}

export async function reject(operator: OperatorClient, refundId: string): Promise<OperatorAnswer> {
  return await operator.change({
    action: "refund.rejected",
    method: "POST",
    path: `/operator/refunds/${refundId}/reject`,
    body: { reason: "Not this one." },
    subject: refundId,
  });
}

/** Requests a refund for a merchant. */
export async function requestForMerchant(
  operator: OperatorClient,
  { paymentId, amount, currency }: { paymentId: string; amount: string; currency: string },
): Promise<OperatorAnswer> {
  return await operator.change({
    action: "refund.requested",
    method: "POST",
    path: `/operator/payments/${paymentId}/refunds`,
    body: { amount: Number(amount), currency, reason: "The buyer called." },
    subjectIn: "refundId",
  });
}
