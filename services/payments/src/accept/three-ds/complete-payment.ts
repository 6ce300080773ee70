/**
 * Completes a payment when the cardholder's browser returns from the challenge. The acquirer's adapter judges
 * the return. A return that proves nothing changes nothing, and the cardholder may still come back with a
 * genuine one. Otherwise the payment is claimed once, under the lease that recovery uses, too, and the
 * acquirer is asked. A second request (a reload, a replay, a copy of the message, a late browser) changes
 * nothing and is answered with the payment as it is. Some acquirers take the fields of the return in place of
 * the card: they are in memory only, for the length of the request.
 */
import type { BrowserReturn, NotGenuine, Challenge } from "@holdfast/acquirer";
import type { CommandReply, CompletePayment, ServiceContext, SessionState } from "@holdfast/contracts";
import { failpoint } from "@holdfast/service-runtime";
import { awaitFirst } from "@holdfast/idempotency";
import type { Incoming } from "@holdfast/messaging";
import { takeMerchantPermit, type PermitDeps } from "../../bank/calls/take-merchant-permit.ts";
import {
  callCompletion,
  concludeCompletion,
  returnCheck,
  type CompleteAuthorizationDeps,
} from "./complete-authorization.ts";
import {
  cancelInPlaceOfCompletion,
  claimCompletion,
  findSession,
  type SessionPayment,
  awaitCardholder,
} from "./session-queries.ts";
import { sessionState } from "./session-state.ts";
import type { Kysely } from "kysely";
import type { PaymentsDatabase } from "../../database.ts";

export type CompletePaymentDeps = CompleteAuthorizationDeps & PermitDeps & { limits: { leaseMs: number } };

type Reply = CommandReply<SessionState>;
type Message = Incoming<CompletePayment, ServiceContext>;

export async function completePayment(deps: CompletePaymentDeps, message: Message): Promise<Reply> {
  const { context, payload } = message;
  const until = Math.min(context.deadlineAt, deps.now() + PATIENCE_MS);
  for (;;) {
    const found = await findSession(deps.db, payload);
    if (!found) return NOT_FOUND;
    const end = found.isOpen ? await tryToComplete(deps, message, found) : "not_used";
    // The payment stays unchanged, and the browser comes back in a moment.
    if (end === "not_started") return { outcome: "not_started" };
    const after = await awaitEnd(deps, payload, until);
    if (!after) return NOT_FOUND;
    if (end === "claimed") return sessionState(after);
    // Another return had the lease meanwhile, and proved nothing: now this return gets its turn.
    const isItsTurn = end === "not_used" && after.isOpen && deps.now() < until;
    if (!isItsTurn) return answerUnused(after, end);
  }
}

/** The result of one attempt; `not_used` where another process has the payment. */
type Attempt = "claimed" | "not_genuine" | "not_used" | "not_started";

async function tryToComplete(
  deps: CompletePaymentDeps,
  { context, payload }: Message,
  found: SessionPayment,
): Promise<Attempt> {
  const { payment } = found;
  const session = found.session.acquirer_session;
  if (session === null) return "not_used";
  const { returned } = payload;
  const refused = deps.bank.of(payment.account_id).checkReturn?.(returnCheck(payment, { session, returned }));
  if (refused) return refuse(deps, found, refused);

  const { account_id: accountId, merchant_id: merchantId } = payment;
  using permit = await takeMerchantPermit(deps, { accountId, merchantId, deadlineAt: context.deadlineAt });
  return permit ? await complete(deps, found, { session, returned }) : "not_started";
}

async function complete(
  deps: CompletePaymentDeps,
  found: SessionPayment,
  completion: { session: string; returned: BrowserReturn },
): Promise<Attempt> {
  const { payment_id: paymentId } = found.payment;
  const { session_id: sessionId } = found.session;
  const claimed = await claimCompletion(deps.db, { paymentId, sessionId }, deps.limits.leaseMs);
  if (!claimed)
    return (await cancelInPlaceOfCompletion(deps.db, { paymentId, sessionId })) ? "claimed" : "not_used";
  await failpoint("payments.after_completion_claim");
  // Once claimed it is completed: the lease, not the browser's patience, bounds the call.
  const outcome = await callCompletion(deps, claimed, completion, deps.now() + deps.bank.callMs);
  if (outcome.kind === "not_genuine") return await reopen(deps, found, claimed, outcome);
  await concludeCompletion(deps, claimed, outcome, { keyed: true });
  return "claimed";
}

/**
 * Makes the payment wait for its cardholder again, since nothing was sent. If that cannot be written,
 * recovery ends the payment.
 */
async function reopen(
  deps: CompletePaymentDeps,
  found: SessionPayment,
  claimed: { payment_id: string; merchant_id: string; lease_token: string },
  outcome: NotGenuine,
): Promise<Attempt> {
  try {
    if (!(await reopenSession(deps.db, claimed, found.session.challenge ?? undefined))) return "not_used";
  } catch (error) {
    deps.events.writeFailed("record", claimed, error);
    return "not_used";
  }
  return refuse(deps, found, outcome);
}

function refuse({ events }: CompletePaymentDeps, { payment }: SessionPayment, { why }: NotGenuine): Attempt {
  events.returnNotGenuine(payment, why);
  return "not_genuine";
}

/** A payment that has ended meanwhile leaves nothing more to prove. */
function answerUnused(found: SessionPayment, end: "not_genuine" | "not_used"): Reply {
  const state = sessionState(found);
  return state.outcome === "done" ? state : { ...state, result: { ...state.result, returnWas: end } };
}

/** The session, for the public page that leads to the challenge. */
export async function readSession(
  { db }: Pick<CompletePaymentDeps, "db">,
  payload: { paymentId: string; sessionId: string },
): Promise<Reply> {
  const found = await findSession(db, payload);
  return found ? sessionState(found) : NOT_FOUND;
}

const NOT_FOUND: Reply = { outcome: "problem", code: "three_ds_session_not_found" };

/** Waits a moment for the end of a payment that another process is completing. */
async function awaitEnd(
  deps: CompletePaymentDeps,
  asked: { paymentId: string; sessionId: string },
  until: number,
): Promise<SessionPayment | undefined> {
  return await awaitFirst(
    () => findSession(deps.db, asked),
    (read) =>
      read !== undefined && sessionState(read).outcome !== "done" && read.payment.lease_token !== null,
    { until, now: deps.now },
  );
}

const PATIENCE_MS = 3_000;

/**
 * Undoes the claim of a completion for which nothing was sent: the payment waits for its cardholder again,
 * with the challenge that it had, and recovery asks once the session has ended.
 * @returns false when the lease is no longer ours; then recovery concludes the payment.
 */
async function reopenSession(
  db: Kysely<PaymentsDatabase>,
  payment: { payment_id: string; lease_token: string },
  challenge: Challenge | undefined,
): Promise<boolean> {
  const change = { from: "AUTHORIZING", cause: "return_not_genuine", challenge } as const;
  return await awaitCardholder(db, payment, change);
}
