import { operations } from "@holdfast/contracts";
import { randomUUID, randomUUIDv7 } from "node:crypto";
import { settleCommand } from "../../services/settlement/test/settle-command.ts";
import { startTestSystem, type TestSystemOptions } from "../support/index.ts";
import { makeTestDirectory } from "../support/test-directory.ts";

export type SettlementHarness = Awaited<ReturnType<typeof startSettlementHarness>>;

/** Payments, refunds and settlement, and merchants' requests whose money a bank then reports. */
export async function startSettlementHarness(options: Partial<TestSystemOptions> = {}) {
  const system = await startTestSystem({
    services: ["payments", "refunds", "settlement"],
    ...options,
    envOf: { ...options.envOf, settlement: { FEED_INTERVAL: "50ms", ...options.envOf?.settlement } },
  });
  const { call, query } = system;
  const make = async (
    how: typeof operations.pay.command | typeof operations.preAuthorize.command,
    amountMinor: string,
  ) => {
    const command = system.command({ amountMinor, paymentId: randomUUIDv7() });
    const reply = await call(how, command);
    if (reply.outcome !== "done") throw new Error(`not paid: ${JSON.stringify(reply)}`);
    return command.paymentId;
  };
  const done = <Reply extends { outcome: string }>(reply: Reply): Reply => {
    if (reply.outcome !== "done") throw new Error(`not done: ${JSON.stringify(reply)}`);
    return reply;
  };
  const request = async (paymentId: string, amountMinor: string) => {
    const refundId = randomUUIDv7();
    done(await call(operations.requestRefund.command, { refundId, paymentId, amountMinor, currency: "TRY" }));
    return refundId;
  };
  return {
    ...system,
    /** The command that takes banks' files. */
    bankFiles: settleCommand(system.database, makeTestDirectory()),
    sell: (amountMinor = "10000") => make(operations.pay.command, amountMinor),
    authorize: (amountMinor = "10000") => make(operations.preAuthorize.command, amountMinor),
    /** @param amount in major units, such as `70.00`. */
    capture: async (paymentId: string, amount: string) =>
      done(
        await call(operations.capture.command, {
          paymentId,
          operationId: randomUUID(),
          amount,
          currency: "TRY",
        }),
      ),
    cancel: async (paymentId: string) =>
      done(await call(operations.cancel.command, { paymentId, operationId: randomUUID() })),
    /** Requests a refund, which waits for people. @returns the refund's id. */
    request,
    /** Requests and approves a refund. @returns the refund's id. */
    async refund(paymentId: string, amountMinor: string): Promise<string> {
      const refundId = await request(paymentId, amountMinor);
      done(await system.approve(refundId));
      return refundId;
    },
    /** A fact, as far as it differs from one to another. */
    async fact(id: string) {
      const [row] = await query<{ kind: string; standing: string; amount_minor: string; account_id: string }>(
        "select kind, standing, amount_minor::text, account_id from settlement.fact where fact_id = $1",
        [id],
      );
      return row;
    },
  };
}
