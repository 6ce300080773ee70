import { randomUUID } from "node:crypto";
import {
  completePayment,
  operations,
  readSession,
  type ChallengeForm,
  type CommandReply,
  type EnrolledPayment,
  type EnrolPayment,
  type MessageContext,
  type SessionState,
} from "@holdfast/contracts";
import { eventually } from "@holdfast/tests/support";
import { expect } from "vitest";
import { answerChallenge, type ReturnedFields } from "./cardholder.ts";
import type { PaymentsHarness } from "./payments-harness.ts";

export const CHALLENGED = "4000000000003220";
export const FRICTIONLESS = "4000000000003055";
export const UNAUTHENTICATED = "4000000000003097";

/** The steps of a payment with 3-D Secure, for a test that plays merchant, gateway and cardholder. */
export function threeDs(payments: PaymentsHarness) {
  const terms = {
    transactionType: "PAYMENT" as const,
    successUrl: "https://shop.example/success",
    failureUrl: "https://shop.example/failure",
    returnUrl: "https://gateway.example/3ds/return/state",
    pageUrl: "https://gateway.example/3ds/challenge/state",
  };

  const steps = {
    /** A command as the gateway sends it. */
    command: (pan: string, change: Partial<EnrolPayment> = {}): EnrolPayment => ({
      ...payments.command({ cardData: { pan }, ...change }),
      ...terms,
      sessionId: randomUUID(),
      ...change,
    }),
    enrol: (
      command: EnrolPayment,
      change?: Partial<MessageContext>,
    ): Promise<CommandReply<EnrolledPayment>> =>
      payments.call(operations.payWith3ds.command, command, change),
    /** The browser is back; `acquirerSession` as it brought it. */
    complete: (
      { paymentId, sessionId }: Pick<EnrolPayment, "paymentId" | "sessionId">,
      acquirerSession?: string,
    ): Promise<CommandReply<SessionState>> =>
      payments.askAsGateway(completePayment, {
        paymentId,
        sessionId,
        returned: { fields: acquirerSession === undefined ? [] : [["session", acquirerSession]] },
      }),
    /** The browser is back, with these fields. */
    comeBack: (
      { paymentId, sessionId }: Pick<EnrolPayment, "paymentId" | "sessionId">,
      fields: ReturnedFields,
    ): Promise<CommandReply<SessionState>> =>
      payments.askAsGateway(completePayment, { paymentId, sessionId, returned: { fields } }),
    readSession: ({ paymentId, sessionId }: Pick<EnrolPayment, "paymentId" | "sessionId">) =>
      payments.askAsGateway(readSession, { paymentId, sessionId }),
    /** Enrols a card that wants a challenge; once more where a busy machine had no connection to spare. */
    async challenged(
      change: Partial<EnrolPayment> = {},
    ): Promise<EnrolPayment & { challenge: ChallengeForm }> {
      return await eventually(async () => {
        const command = steps.command(CHALLENGED, change);
        const reply = await steps.enrol(command);
        if (!("result" in reply) || !reply.result.challenge) {
          throw new Error(`the enrolment ended with ${JSON.stringify(reply)}`);
        }
        return { ...command, challenge: reply.result.challenge };
      });
    },
    answer: answerChallenge,
    /** The payment's end once no work is left, with the records of the bank and the merchant. */
    async ended(paymentId: string) {
      const row = await eventually(async () => {
        const [found] = await payments.query<{
          state: string;
          result_code: string | null;
          leased: boolean;
        }>(
          `select state, result_code, lease_token is not null as leased from payments.payment
             where payment_id = $1 and recover_at is null`,
          [paymentId],
        );
        return found ?? false;
      });
      expect(row.leased).toBe(false);
      return {
        state: row.state,
        resultCode: row.result_code,
        history: await steps.history(paymentId),
        ledger: await steps.ledger(paymentId),
        events: await steps.events(paymentId),
      };
    },
    async history(paymentId: string) {
      const rows = await payments.query<{ to_state: string }>(
        "select to_state from payments.payment_history where payment_id = $1 order by version",
        [paymentId],
      );
      return rows.map(({ to_state }) => to_state);
    },
    async causes(paymentId: string) {
      const rows = await payments.query<{ cause: string }>(
        "select cause from payments.payment_history where payment_id = $1 order by version",
        [paymentId],
      );
      return rows.map(({ cause }) => cause);
    },
    /**
     * The evidence of its authentication: transStatus, ECI, and whether the directory server's transaction is named.
     */
    async evidence(paymentId: string) {
      const [row] = await payments.query<{ evidence: [string | null, string | null, boolean] }>(
        `select jsonb_build_array(trans_status, eci, ds_trans_id is not null) as evidence
         from payments.three_ds_session where payment_id = $1`,
        [paymentId],
      );
      return row?.evidence;
    },
    ledger: async (paymentId: string) =>
      (await payments.ledger(paymentId)).map(({ operation, outcome }) => `${operation} ${outcome}`),
    async events(paymentId: string) {
      const rows = await payments.query<{ status: string }>(
        "select status from payments.outbox where payment_id = $1 and event_type = 'payment.status_changed' order by event_id",
        [paymentId],
      );
      return rows.map(({ status }) => status);
    },
    /** Ends the session's time. */
    expire: (paymentId: string) =>
      payments.query(
        `with session as (
           update payments.three_ds_session set expires_at = now() - interval '1 ms' where payment_id = $1)
         update payments.payment set recover_at = now(), recovery_from = now() where payment_id = $1`,
        [paymentId],
      ),
  };
  return steps;
}

export type ThreeDsSteps = ReturnType<typeof threeDs>;
