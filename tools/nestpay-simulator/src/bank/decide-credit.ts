import type { Rules } from "../modes.ts";
import type { CreditRequest } from "./money-request.ts";
import { netMinor, wasApproved, type Order } from "./order.ts";
import { approved, refused, type Verdict } from "./refusals.ts";

/** Decides a Credit (Nestpay protocol, rules of life 4). */
export function decideCredit(order: Order | undefined, request: CreditRequest, rules: Rules): Verdict {
  if (request.amountMinor < 0n) return refused(1024);
  if (request.amountMinor === 0n) return refused(2009);
  if (!order) return refused(2123);
  const payments = order.rows.filter((row) => row.kind === "payment" && wasApproved(row));
  const [first] = payments;
  if (!first) return refused(2116);
  if (request.currency !== undefined && request.currency !== first.currency) return refused(2119);
  if (payments.some(({ status }) => status === "authorized")) return refused(2117);
  const isDayOpen = payments.some(({ status }) => status === "captured");
  if (isDayOpen && !rules.sameDayCredit) return refused(2508);
  const net = netMinor(order);
  if (net === 0n) return refused(2504);
  return request.amountMinor <= net ? approved : refused(2503);
}
