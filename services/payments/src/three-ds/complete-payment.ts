/**
 * The cardholder's browser is back from the challenge. Its parameters prove nothing: the payment is claimed, once, under
 * the same lease that recovery requires, and the acquirer is asked. A second request (a reload, a replay, a copy of the
 * message, a browser that is late) changes nothing and is answered with the payment as it is.
 */
import type { CommandReply, CompletePayment, ServiceContext, SessionState } from "@holdfast/contracts";
import { failpoint } from "@holdfast/service-runtime";
import { awaitFirst } from "@holdfast/idempotency";
import type { Incoming } from "@holdfast/messaging";
import { latestStart, type ConnectionDeps } from "../with-connection.ts";
import { completeAuthorization, type CompleteAuthorizationDeps } from "./complete-authorization.ts";
import { claimCompletion, findSession } from "./session-queries.ts";
import { sessionState } from "./session-state.ts";

export type CompletePaymentDeps = CompleteAuthorizationDeps & ConnectionDeps & { leaseMs: number };

type Reply = CommandReply<SessionState>;

export async function completePayment(
  deps: CompletePaymentDeps,
  { context, payload }: Incoming<CompletePayment, ServiceContext>,
): Promise<Reply> {
  const { acquirerSession } = payload;
  const found = await findSession(deps.db, payload);
  if (!found) return NOT_FOUND;
  const session = found.session.acquirer_session;
  if (acquirerSession !== undefined && acquirerSession !== session) return NOT_FOUND;

  if (session !== null && found.payment.state === "ENROLLED") {
    const { merchant_id } = found.payment;
    const release = await deps.connections.wait(merchant_id, latestStart(deps, context.deadlineAt));
    // The payment stays as it is, and the browser comes back in a moment.
    if (!release) return { outcome: "not_started" };
    await complete(deps, payload, session).finally(release);
  }
  return await awaitEnd(deps, payload, Math.min(context.deadlineAt, deps.now() + PATIENCE_MS));
}

async function complete(deps: CompletePaymentDeps, payload: CompletePayment, session: string): Promise<void> {
  const claimed = await claimCompletion(deps.db, payload, deps.leaseMs);
  if (!claimed) return;
  await failpoint("payments.after_completion_claim");
  // Once claimed it is completed: the lease, not the browser's patience, bounds the call.
  const deadlineAt = deps.now() + deps.acquirerTimeoutMs;
  await completeAuthorization(deps, claimed, { session, deadlineAt, keyed: true });
}

/** The session, for the public page that leads to the challenge. */
export async function readSession(
  { db }: Pick<CompletePaymentDeps, "db">,
  payload: CompletePayment,
): Promise<Reply> {
  const found = await findSession(db, payload);
  return found ? sessionState(found) : NOT_FOUND;
}

const NOT_FOUND: Reply = { outcome: "problem", code: "three_ds_session_not_found" };

/** While another process completes the payment its end is a moment away. */
async function awaitEnd(
  deps: CompletePaymentDeps,
  asked: { paymentId: string; sessionId: string },
  until: number,
): Promise<Reply> {
  const found = await awaitFirst(
    () => findSession(deps.db, asked),
    (read) =>
      read !== undefined && sessionState(read).outcome !== "done" && read.payment.lease_token !== null,
    { until, now: deps.now },
  );
  return found ? sessionState(found) : NOT_FOUND;
}

const PATIENCE_MS = 3_000;
