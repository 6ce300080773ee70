import { namedBy, type AnyConnector, type BankNotification, type ReadNotification } from "@holdfast/acquirer";
import type { CommandReply, TakeBankNotification } from "@holdfast/contracts";
import type { KeyRing } from "@holdfast/service-runtime";
import { type Kysely, sql } from "kysely";
import type { Account, CurrentAccounts } from "../../bank/account/current-accounts.ts";
import { openAccountSecrets } from "../../bank/account/seal-account-secrets.ts";
import type { PaymentsDatabase } from "../../database.ts";
import type { NotificationEvents, Taken } from "./notification-events.ts";
import { NOTIFIED_REST_MS } from "../../payment/payment-lease.ts";

export type ReceiveNotificationDeps = {
  db: Kysely<PaymentsDatabase>;
  accounts: Pick<CurrentAccounts, "table">;
  connectors: ReadonlyMap<string, AnyConnector>;
  ring: KeyRing | undefined;
  events: NotificationEvents;
  /** Has the refunds service inquire about a refund sooner. */
  notifyRefunds: (refundId: string) => void;
};

/**
 * Receives a message that may be a bank's notification. A genuine one is only a hint: the usual inquiry about
 * the named payment is made sooner, and nothing else in the message is read. So neither a repetition nor a
 * forgery moves money.
 */
export async function receiveNotification(
  deps: ReceiveNotificationDeps,
  { accountId, headers, body }: TakeBankNotification,
): Promise<CommandReply<{ isGenuine: boolean }>> {
  const table = deps.accounts.table();
  if (!table) return { outcome: "not_started" };
  const account = table.accounts.get(accountId);
  const read = account && readNotification(deps, account, { headers, body: Buffer.from(body, "base64") });
  if (read?.kind !== "genuine") {
    deps.events.notGenuine(account, read?.why ?? "no_account");
    return { outcome: "done", result: { isGenuine: false } };
  }
  deps.events.taken(account!, await follow(deps, account!, read.name));
  return { outcome: "done", result: { isGenuine: true } };
}

type Read = ReadNotification | { kind: "not_genuine"; why: "no_notifications" };

/** @throws SecretUnreadableError where the account's secrets cannot be opened; the bank sends it again. */
function readNotification(
  { connectors, ring }: Pick<ReceiveNotificationDeps, "connectors" | "ring">,
  { accountId, version, protocol, sealedSecrets }: Account,
  notification: BankNotification,
): Read {
  const connector = connectors.get(protocol);
  if (!connector?.readNotification || !ring) return { kind: "not_genuine", why: "no_notifications" };
  const secrets = openAccountSecrets(ring, { accountId, version, protocol }, sealedSecrets);
  return connector.readNotification(notification, connector.secrets.parse(secrets));
}

/** A notification about another account's payment has no effect: its bank is another one. */
async function follow(
  { db, notifyRefunds }: ReceiveNotificationDeps,
  { accountId }: Account,
  name: string,
): Promise<Taken> {
  const named = namedBy(name);
  switch (named?.what) {
    case undefined:
      return { result: "not_ours" };
    case "payment": {
      const paymentId = named.id;
      return { result: await bringInquiryForward(db, { paymentId, accountId }), paymentId };
    }
    case "refund": {
      const refundId = named.id;
      const isOpen = await isOpenRefund(db, { refundId, accountId });
      if (isOpen) notifyRefunds(refundId);
      return { result: isOpen === undefined ? "not_ours" : isOpen ? "hastened" : "not_needed", refundId };
    }
    default:
      return named!.what satisfies never;
  }
}

/**
 * Makes an undecided payment due for inquiry now, or {@link NOTIFIED_REST_MS} after its last inquiry: however
 * many notifications come, they cause at most one inquiry in that time. If a process works on the payment,
 * the next inquiry is brought forward instead (`postpone`). A challenge that the cardholder may still pass is
 * left alone.
 *
 * @returns `not_needed` if the payment is decided, or due already; `not_ours` if the account has no such
 * payment.
 */
async function bringInquiryForward(
  db: Kysely<PaymentsDatabase>,
  { paymentId, accountId }: { paymentId: string; accountId: string },
): Promise<"hastened" | "not_needed" | "not_ours"> {
  const { rows } = await sql<{ is_hastened: boolean }>`
    with named as (
      select payment_id, lease_until > now() as is_leased,
        greatest(now(), updated_at + ${NOTIFIED_REST_MS} * interval '1 millisecond') as sooner
      from payment where payment_id = ${paymentId} and account_id = ${accountId}
    ), hastened as (
      update payment set notified_at = now(), recover_at = case when is_leased then recover_at else sooner end
      from named
      where payment.payment_id = named.payment_id
        and case when is_leased then notified_at is null else recover_at > sooner end
        and (state <> 'ENROLLED' or recovery_from <= now())
      returning payment.payment_id
    )
    select exists (select from hastened) as is_hastened from named`.execute(db);
  if (!rows[0]) return "not_ours";
  return rows[0].is_hastened ? "hastened" : "not_needed";
}

/**
 * True if a refund of the account's payments still has to be carried out; undefined if the account has no
 * such refund.
 */
async function isOpenRefund(
  db: Kysely<PaymentsDatabase>,
  { refundId, accountId }: { refundId: string; accountId: string },
): Promise<boolean | undefined> {
  const reservation = await db
    .selectFrom("refund_reservation")
    .innerJoin("payment", "payment.payment_id", "refund_reservation.payment_id")
    .select("refund_reservation.state")
    .where("refund_id", "=", refundId)
    .where("account_id", "=", accountId)
    .executeTakeFirst();
  return reservation && reservation.state === "ACTIVE";
}
