import { DAY_MS } from "../bank-time.ts";
import type { Rules } from "../modes.ts";
import type { CaptureRequest } from "./money-request.ts";
import { wasApproved, type Order, type Row } from "./order.ts";
import { approved, refused, type Verdict } from "./refusals.ts";

/** The capture of a PostAuth: the hold's row, undefined where there is none, and the captured amount of it. */
export type CaptureDecision = { verdict: Verdict; hold: Row | undefined; amountMinor: bigint };

/** Decides a PostAuth (Nestpay protocol, rules of life 2). */
export function decideCapture(
  order: Order | undefined,
  request: CaptureRequest,
  nowMs: number,
  rules: Rules,
): CaptureDecision {
  const payments = order?.rows.filter((row) => row.kind === "payment" && wasApproved(row)) ?? [];
  const hold = payments.find(({ status }) => status === "authorized");
  const amountMinor = request.amountMinor ?? hold?.amountMinor ?? 0n;
  if (!hold) {
    const isSale = payments.length > 0 && payments.every(({ isHold }) => !isHold);
    return { verdict: refused(isSale ? 2115 : 2509), hold, amountMinor };
  }
  return { verdict: verdictOf(hold, request, amountMinor, nowMs, rules), hold, amountMinor };
}

function verdictOf(
  hold: Row,
  { currency, holdMinor }: CaptureRequest,
  amountMinor: bigint,
  nowMs: number,
  rules: Rules,
): Verdict {
  if (currency !== undefined && currency !== hold.currency) return refused(2119);
  if (amountMinor < 0n) return refused(1024);
  if (amountMinor === 0n) return refused(2009);
  if (nowMs - hold.atMs > HOLD_LIFE_MS) return refused(2513);
  if (amountMinor <= hold.amountMinor) return approved;
  if (holdMinor === undefined) return refused(2505);
  const isWithinRight = rules.captureOverHold && holdMinor === hold.amountMinor;
  return isWithinRight && amountMinor * 100n <= hold.amountMinor * 115n ? approved : refused(2512);
}

const HOLD_LIFE_MS = 15 * DAY_MS;
