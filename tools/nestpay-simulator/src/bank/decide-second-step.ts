import type { Rules } from "../modes.ts";
import type { Authentication } from "./ledger-line.ts";
import type { PaymentRequest } from "./money-request.ts";
import type { RefusalCode } from "./refusals.ts";

/** The data that the form of a 3-D Secure payment has fixed, and the end of its authentication. */
export type AuthenticatedForm = {
  operation: "authorize" | "sale";
  orderId: string;
  amountMinor: bigint;
  currency: string;
  installments: number;
  /** Undefined while the cardholder has not answered. */
  authentication: Authentication | undefined;
};

/**
 * Decides whether a payment may use the `md` that it names (Nestpay protocol, the return). `form` is undefined where
 * the bank does not know the `md`. @returns the fault, if any
 */
export function faultOfSecondStep(
  form: AuthenticatedForm | undefined,
  request: PaymentRequest,
  card: { xid: string; eci: string; cavv: string },
  isXidUsed: boolean,
  rules: Rules,
): RefusalCode | undefined {
  if (isXidUsed) return 2127;
  if (!form) return 2012;
  if (!form.authentication) return 2206;
  const { mdStatus, xid, eci, cavv } = form.authentication;
  if (!acceptsMdStatus(mdStatus, rules)) return 2206;
  if (card.xid !== xid || card.eci !== eci || card.cavv !== cavv) return 2121;
  if (form.installments !== request.installments) return 2601;
  const isSame =
    form.operation === request.operation &&
    form.orderId === request.orderId &&
    form.amountMinor === request.amountMinor &&
    form.currency === request.currency;
  return isSame ? undefined : 2121;
}

/** True if the bank goes on after this authentication. */
export function acceptsMdStatus(mdStatus: string, { halfSecure }: Pick<Rules, "halfSecure">): boolean {
  return mdStatus === "1" || (halfSecure && ["2", "3", "4"].includes(mdStatus));
}
