import {
  chargedAmount,
  mayAct,
  staffMayAct,
  waitsForConsent,
  type OperatorPaymentLife,
  type OperatorRefund,
  type OperatorRole,
  type StaffRole,
} from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import type { Session } from "../session/session.ts";
import type { Texts } from "./texts.ts";

/** The actions that a person may request on a page. */
export type Action =
  | "approve"
  | "reject"
  | "inquire"
  | "reverse"
  | "resolve"
  | "refund"
  | "capture"
  | "cancel";

/** An action that is offered, or why it is not. The services decide again, regardless of the offer. */
export type Offer = { action: Action; why?: string | undefined };

type Person = Pick<Session, "subject" | "roles" | "staff">;

/** The actions on a refund. */
export function offersOfRefund(refund: OperatorRefund, person: Person, texts: Texts): Offer[] {
  // The merchant's staff requested the refund; operators decide about it.
  if (person.staff) return [];
  const waits = refund.state === "PENDING_APPROVAL";
  const waitsAgain = waitsForConsent(refund);
  const isIssuer = refund.credentialIssuedBy === person.subject && !refund.credentialIssuedByStaff;
  const issuedByYou = isIssuer ? texts.whyCredential : undefined;
  const barsOf = (isOpen: boolean) => [
    roleBar(person, "approver", texts),
    isOpen ? undefined : texts.whyDecided,
    issuedByYou,
  ];
  const approvalBars = [
    ...barsOf(waits || waitsAgain),
    refund.requestedBy === person.subject && !refund.requestedByStaff ? texts.whyRequested : undefined,
    !waitsAgain && refund.approvedBy.some(({ operator }) => operator === person.subject)
      ? texts.whyApproved
      : undefined,
  ];
  const executes = refund.state === "EXECUTING" ? undefined : texts.whyNotExecuting;
  const operations = roleBar(person, "operations", texts);
  return [
    { action: "approve", why: first(approvalBars) },
    { action: "reject", why: first(barsOf(waits)) },
    { action: "inquire", why: first([operations, executes]) },
    {
      action: "resolve",
      why: first([operations, executes, issuedByYou]),
    },
  ];
}

/** The actions on a payment. */
export function offersOfPayment(
  life: Pick<
    OperatorPaymentLife,
    "unresolved" | "credentialIssuedBy" | "credentialIssuedByStaff" | "payment"
  >,
  person: Person,
  texts: Texts,
): Offer[] {
  if (person.staff) return staffOffersOfPayment(life, person.staff, texts);
  const bars = [roleBar(person, "operations", texts), life.unresolved ? undefined : texts.whyKnown];
  const isIssuer = life.credentialIssuedBy === person.subject && !life.credentialIssuedByStaff;
  const ownCredential = isIssuer ? texts.whyCredential : undefined;
  const refundable = refundableOf(life.payment) > 0 ? undefined : texts.whyNotRefundable;
  return [
    { action: "inquire", why: first(bars) },
    { action: "reverse", why: first(bars) },
    { action: "resolve", why: first([...bars, ownCredential]) },
    { action: "refund", why: first([roleBar(person, "operations", texts), refundable]) },
  ];
}

/** The offers to a merchant's staff: an action that their role does not allow is not shown. */
function staffOffersOfPayment(
  { payment }: Pick<OperatorPaymentLife, "payment">,
  { roles }: NonNullable<Session["staff"]>,
  texts: Texts,
): Offer[] {
  if (!staffMayAct(roles, "refunds")) return [];
  const { status, transactionType } = payment;
  const isAuthorized = status === "SUCCESS" && transactionType === "PRE_AUTHORIZATION";
  const isSold = status === "SUCCESS" && transactionType === "PAYMENT";
  return [
    { action: "capture", why: isAuthorized ? undefined : texts.whyNotCapturable },
    { action: "cancel", why: isAuthorized || isSold ? undefined : texts.whyNotCancellable },
    { action: "refund", why: refundableOf(payment) > 0 ? undefined : texts.whyNotRefundable },
  ];
}

/** Covers disabling them, too. */
export function mayMakeLinks({ staff }: Pick<Session, "staff">): boolean {
  return staff !== undefined && staffMayAct(staff.roles, "owner");
}

/** The amount that can still be refunded: for a sale all of it, for a pre-authorization the captured part. */
export function refundableOf(payment: OperatorPaymentLife["payment"]): number {
  const { status, capturedAmount, refundableAmount, transactionType } = payment;
  if (status !== "SUCCESS" && status !== "CAPTURED") return 0;
  return refundableAmount ?? capturedAmount ?? (transactionType === "PAYMENT" ? chargedAmount(payment) : 0);
}

/** The reason why a person without `role` may not do what it allows. */
export function roleBar({ roles }: Person, role: OperatorRole, texts: Texts): string | undefined {
  return mayAct(roles, role) ? undefined : texts.needsRole(role);
}

/** The reason why an action is not offered: an operator is shown it, a merchant's staff see nothing at all. */
export type Bar = { why?: string };

/** The bar of an action that operators do by one role and a merchant's staff by another, if any. */
export function barOf(
  person: Person,
  role: { operator: OperatorRole; staff: StaffRole },
  texts: Texts,
): Bar | undefined {
  if (person.staff) return staffMayAct(person.staff.roles, role.staff) ? undefined : {};
  const why = roleBar(person, role.operator, texts);
  return why === undefined ? undefined : { why };
}

/** True if there is anything to show: the thing itself, or why it is not offered. */
export function isShown(bar: Bar | undefined): boolean {
  return bar === undefined || bar.why !== undefined;
}

/** The reason in place of a thing that is not offered. */
export function barText(name: string, { why }: Bar): Html {
  return why === undefined ? html`` : html`<p class="quiet">${name}: ${why}</p>`;
}

function first(bars: readonly (string | undefined)[]): string | undefined {
  return bars.find((bar) => bar !== undefined);
}
