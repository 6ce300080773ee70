import { setTimeout as delay } from "node:timers/promises";
import type { Violation } from "../checker/index.ts";
import type { OperatorAnswer, OperatorClient } from "./client/operator-client.ts";
import type { Random } from "./random.ts";
import type { Shop } from "./system/onboard-merchant.ts";
import type { Operators } from "./system/operators.ts";

export type StaffAtWork = {
  /** The number of refunds that the staff know. */
  refunds(): number;
  /** Resolves once all refunds were looked at, to those that staff saw without a right to, or missed. */
  goHome(): Promise<Violation[]>;
};

type Staff = { asks: OperatorClient; looks: OperatorClient; stranger: OperatorClient };
type Payment = { paymentId: string; status: string; currency: string };

/**
 * A merchant's staff: one person requests refunds, each sent to both listeners at the same moment under one
 * key, and another reads them. A person of the other merchant's staff requests the same and must find
 * nothing. The checker judges by the audit log, as for operators, that each refund is made once, by the
 * person who requested it.
 */
export async function startStaff(
  operators: Operators,
  random: Random,
  [own, other]: readonly [Shop, Shop],
): Promise<StaffAtWork> {
  const staff = {
    asks: await operators.ofStaff("mina", own.merchant.merchantId),
    looks: await operators.ofStaff("selim", own.merchant.merchantId),
    stranger: await operators.ofStaff("theo", other.merchant.merchantId),
  };
  const over = new AbortController();
  const refundIds: string[] = [];
  const violations: Violation[] = [];
  const working = (async () => {
    for (let round = 0; !over.signal.aborted; round++) {
      violations.push(...(await askForOne(staff, { random, key: `staff-${round}`, refundIds })));
      await delay(ROUND_MS, undefined, { signal: over.signal }).catch(() => undefined);
    }
  })();
  return {
    refunds: () => refundIds.length,
    async goHome() {
      over.abort();
      await working;
      for (const refundId of refundIds) violations.push(...(await lookAt(staff, refundId, { healed: true })));
      return violations;
    },
  };
}

const ROUND_MS = 700;
const AMOUNT = 1;

async function askForOne(
  staff: Staff,
  { random, key, refundIds }: { random: Random; key: string; refundIds: string[] },
): Promise<Violation[]> {
  const { body } = await staff.asks.read("/staff/payments?limit=50");
  const { items = [] } = (body ?? {}) as { items?: ({ payment?: Payment } & Payment)[] };
  const payments = items.map((item) => item.payment ?? item);
  const refundable = payments.filter(({ status }) => status === "SUCCESS" || status === "CAPTURED");
  const [first, ...rest] = refundable;
  if (!first) return [];
  const payment = random.pick([first, ...rest]);
  const path = `/staff/payments/${payment.paymentId}`;
  const strange = [await staff.stranger.read(path), await ask(staff.stranger, payment, key)];
  const answers = await Promise.all([ask(staff.asks, payment, key), ask(staff.asks, payment, key)]);
  const made = [...new Set(answers.flatMap(refundIdOf))];
  refundIds.push(...made);
  const looked = made[0] === undefined ? [] : await lookAt(staff, made[0], { healed: false });
  return [
    ...looked,
    ...foundSomething(payment.paymentId, strange),
    ...(made.length > 1 ? [violation(made, "one key of staff has made two refunds")] : []),
  ];
}

async function ask(person: OperatorClient, payment: Payment, key: string): Promise<OperatorAnswer> {
  return await person.change({
    action: "refund.requested",
    method: "POST",
    path: `/staff/payments/${payment.paymentId}/refunds`,
    key,
    body: { amount: AMOUNT, currency: payment.currency, reason: "The buyer called the shop." },
    subjectIn: "refundId",
  });
}

function refundIdOf({ body }: OperatorAnswer): string[] {
  const { refundId } = (body ?? {}) as { refundId?: string };
  return refundId === undefined ? [] : [refundId];
}

/** Once everything is healed the colleague finds it; the stranger never does. */
async function lookAt(
  { looks, stranger }: Staff,
  refundId: string,
  { healed }: { healed: boolean },
): Promise<Violation[]> {
  const path = `/staff/refunds/${refundId}`;
  const { status, body } = await looks.read(path);
  const isMissed =
    (healed && status !== 200) || (status === 200 && refundIdOf({ bytesSent: true, body })[0] !== refundId);
  return [
    ...(isMissed ? [violation([refundId], `a colleague who looks at it is answered ${status}`)] : []),
    ...foundSomething(refundId, [await stranger.read(path)]),
  ];
}

/** Another merchant's record is at best not found, even when something else fails. */
function foundSomething(id: string, answers: OperatorAnswer[]): Violation[] {
  return answers
    .filter(({ status }) => status !== undefined && status !== 404 && status < 500)
    .map(({ status }) => violation([id], `another merchant's staff is answered ${status}`));
}

function violation(ids: string[], what: string): Violation {
  return { invariant: 20, ids, what };
}
