import { namedBy, type AnyConnector, type BankNotification, type ReadNotification } from "@holdfast/acquirer";
import type { CommandReply, TakeBankNotification } from "@holdfast/contracts";
import type { KeyRing } from "@holdfast/service-runtime";
import type { Kysely } from "kysely";
import type { Account, CurrentAccounts } from "../../bank/account/current-accounts.ts";
import { openAccountSecrets } from "../../bank/account/seal-account-secrets.ts";
import type { PaymentsDatabase } from "../../database.ts";
import { hastenInquiry, isOpenRefund } from "./hasten-inquiry.ts";
import type { NotificationEvents, Taken } from "./notification-events.ts";

export type TakeNotificationDeps = {
  db: Kysely<PaymentsDatabase>;
  accounts: Pick<CurrentAccounts, "table">;
  connectors: ReadonlyMap<string, AnyConnector>;
  ring: KeyRing | undefined;
  events: NotificationEvents;
  /** Has the refunds service ask about one sooner. */
  notifyRefunds: (refundId: string) => void;
};

/**
 * Takes what may be a bank's notification. One that is genuine is a hint: what it names is asked about sooner, by the inquiry
 * that would be made in any case, and nothing else of it is read. So neither a repetition nor a lie moves money.
 */
export async function takeNotification(
  deps: TakeNotificationDeps,
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
  { connectors, ring }: Pick<TakeNotificationDeps, "connectors" | "ring">,
  { accountId, version, protocol, sealedSecrets }: Account,
  notification: BankNotification,
): Read {
  const connector = connectors.get(protocol);
  if (!connector?.readNotification || !ring) return { kind: "not_genuine", why: "no_notifications" };
  const secrets = openAccountSecrets(ring, { accountId, version, protocol }, sealedSecrets);
  return connector.readNotification(notification, connector.secrets.parse(secrets));
}

/** Of another account's payment nothing comes: its bank is another one. */
async function follow(
  { db, notifyRefunds }: TakeNotificationDeps,
  { accountId }: Account,
  name: string,
): Promise<Taken> {
  const named = namedBy(name);
  switch (named?.what) {
    case undefined:
      return { result: "not_ours" };
    case "payment": {
      const paymentId = named.id;
      return { result: await hastenInquiry(db, { paymentId, accountId }), paymentId };
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
