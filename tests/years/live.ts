import { randomUUID } from "node:crypto";
import { confirmEvents, operations } from "@holdfast/contracts";
import { request } from "@holdfast/messaging";
import { createReplyRecipient } from "@holdfast/sealing";
import { genericFile, genericLine } from "../../services/settlement/test/written-file.ts";
import { eventually, TEST_ACCOUNT_ID } from "../support/index.ts";
import { checkOut } from "./check-out.ts";
import { dispute } from "./dispute.ts";
import { done } from "./done.ts";
import { notifyOf } from "./notify-of.ts";
import type { YearsSystem } from "./years-system.ts";

/** Ids of records by a shop and its operators, for reading them afterwards. */
export type Lived = {
  paymentId: string;
  /** A payment whose bank has not answered. */
  unresolvedId: string;
  refundId: string;
  checkoutId: string;
  paymentLinkId: string;
  chargebackId: string;
  evidenceId: string;
  eventId: string;
  importId: string;
};

/**
 * A day's writes of every kind, once: payments, checkouts, refunds, chargebacks, webhooks, a bank's notifications and
 * file.
 */
export async function live(system: YearsSystem): Promise<Lived> {
  const { merchantId, query } = system;
  const recipientKey = createReplyRecipient().publicKey;
  done(
    await system.operate(operations.putMerchantWebhook.command, {
      merchantId,
      url: system.receiver.url,
      recipientKey,
    }),
  );
  done(await system.operate(operations.testWebhookEndpoint.command, { merchantId, endpointId: merchantId }));
  const { paymentId, unresolvedId } = await pay(system);
  const refundId = await refund(system, paymentId);
  const ofBuyers = await checkOut(system);
  const ofDispute = await dispute(system, paymentId);
  await notifyOf(system);
  const eventId = await eventually(async () => {
    const rows = await query<{ event_id: string }>(
      `select event_id from webhooks.event join webhooks.outcome using (occurred_at, event_id)
       where payment_id = $1 and outcome = 'delivered'`,
      [refundId],
    );
    return rows[0]?.event_id ?? false;
  });
  done(await system.operate(operations.redeliverWebhook.command, { eventId }));
  done(await system.operate(operations.getWebhookBody.command, { eventId }));
  const since = new Date(Date.now() - 3_600_000).toISOString();
  await system.operate(operations.redeliverFailedWebhooks.command, { merchantId, since });
  const importId = await importFile(system, paymentId);
  await confirmStatement(system);
  return { paymentId, unresolvedId, refundId, ...ofBuyers, ...ofDispute, eventId, importId };
}

/** A sale that is asked for twice, an authorization that is captured and one that is cancelled, one with 3-D Secure. */
async function pay(system: YearsSystem): Promise<Pick<Lived, "paymentId" | "unresolvedId">> {
  const sale = system.command({ customerId: "customer-1" });
  const idempotency = { scope: "POST /api/payment", key: randomUUID() };
  done(await system.call(operations.pay.command, sale, { idempotency }));
  done(await system.call(operations.pay.command, sale, { idempotency }));
  const authorize = async () => {
    const command = system.command();
    done(await system.call(operations.preAuthorize.command, command));
    return { paymentId: command.paymentId, operationId: randomUUID() };
  };
  done(await system.call(operations.capture.command, await authorize()));
  done(await system.call(operations.cancel.command, await authorize()));
  const declined = system.command({ cardData: { pan: "4000000000000002" } });
  await system.call(operations.pay.command, declined);
  await system.bank!.acquirerWill("sale", "hang");
  const unresolved = system.command();
  await system.call(operations.pay.command, unresolved);
  const page = "https://pay.example/page";
  const { card, ...enrolled } = system.command({ cardData: { pan: "4000000000003055" } });
  await system.call(operations.payWith3ds.command, {
    ...enrolled,
    card,
    transactionType: "PAYMENT",
    successUrl: page,
    failureUrl: page,
    sessionId: randomUUID(),
    returnUrl: page,
    pageUrl: page,
  });
  await system.call(operations.getBin.command, { bin: "411111" });
  return { paymentId: sale.paymentId, unresolvedId: unresolved.paymentId };
}

/** Requests four refunds: one is approved, one is rejected, one is an operator's, and one is of too much. */
async function refund(system: YearsSystem, paymentId: string): Promise<string> {
  const { merchantId } = system;
  const ask = async (amountMinor: string) => {
    const refundId = randomUUID();
    const idempotency = { scope: "POST /api/refund", key: randomUUID() };
    const reply = await system.call(
      operations.requestRefund.command,
      { refundId, paymentId, amountMinor, currency: "TRY" },
      { idempotency },
    );
    return { refundId, reply };
  };
  const [paid, rejected, refused] = [await ask("500"), await ask("100"), await ask("999900")];
  done(paid.reply);
  if (refused.reply.outcome !== "problem") throw new Error("a refund of too much was accepted");
  done(await system.approve(paid.refundId));
  done(
    await system.operate(operations.rejectRefund.command, {
      refundId: rejected.refundId,
      reason: "Not this one.",
    }),
  );
  const more = {
    refundId: randomUUID(),
    paymentId,
    merchantId,
    amountMinor: "100",
    currency: "TRY",
    reason: "A call.",
  };
  done(await system.operate(operations.requestRefundForMerchant.command, more));
  return paid.refundId;
}

/** A bank's file that reports a payment, an unknown one, and chargebacks by our reference and by the bank's. */
async function importFile(system: YearsSystem, paymentId: string): Promise<string> {
  const line = (kind: string, names: { reference?: string; bank_reference?: string }, gross: string) =>
    genericLine({
      kind,
      reference: "",
      gross,
      transacted_at: new Date().toISOString().slice(0, 19),
      settles_on: new Date().toISOString().slice(0, 10),
      ...names,
    });
  const file = genericFile(
    line("SALE", { reference: paymentId }, "12.50"),
    line("SALE", { reference: randomUUID() }, "1.00"),
    line("CHARGEBACK", { reference: paymentId }, "-1.00"),
    line("CHARGEBACK", { bank_reference: "years-ext-77" }, "-1.00"),
    // Lines that are neither movements nor readable, and parts of a payout.
    line("GIFT", { reference: paymentId }, "-2.00"),
    genericLine({ gross: "3.00", net: "3.00", payout_id: "years-7" }),
  );
  const send = async (path: string) => {
    const form = new FormData();
    form.set("file", new Blob([file]), "bank.csv");
    return await fetch(
      `http://127.0.0.1:${system.operatorApi.port}/operator/${path}?accountId=${TEST_ACCOUNT_ID}&mapping=generic`,
      { method: "POST", headers: { Authorization: `Bearer ${await system.identity.token()}` }, body: form },
    );
  };
  const previewed = await send("settlements/preview");
  if (previewed.status !== 200) throw new Error(`not previewed: ${previewed.status}`);
  const answer = await send("settlements");
  const { importId } = (await answer.json()) as { importId?: string };
  if (importId === undefined) throw new Error(`not imported: ${answer.status}`);
  await eventually(async () => {
    const rows = await system.query(
      "select from settlement.import where import_id = $1 and matched_at is not null",
      [importId],
    );
    return rows.length === 1;
  });
  return importId;
}

/** Confirms a ready statement as the dispatcher does; no statement is ready before its day is over. */
async function confirmStatement({ bus, query }: YearsSystem): Promise<void> {
  const [event] = await query<{ event_id: string }>("select event_id from settlement.outbox limit 1");
  const waitUntil = Date.now() + 60_000;
  const context = { requestId: randomUUID(), deadlineAt: waitUntil, service: { name: "webhook-dispatcher" } };
  const payload = { eventIds: [event!.event_id] };
  done(await request(bus, confirmEvents.settlement, context, payload, { waitUntil, traceparent: "" }));
}
