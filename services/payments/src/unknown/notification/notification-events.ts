import type { Logger } from "@holdfast/service-runtime";
import { meterOf } from "@holdfast/telemetry";
import type { Account } from "../../bank/account/current-accounts.ts";

/** The result of a genuine notification, and what it named. */
export type Taken = {
  /** `not_ours`: it names nothing that the account has. */
  result: "hastened" | "not_needed" | "not_ours";
  paymentId?: string;
  refundId?: string;
};

/** Counts banks' notifications by account and result. */
export type NotificationEvents = {
  taken(account: Account, taken: Taken): void;
  /** @param account undefined if the address names none. */
  notGenuine(account: Account | undefined, why: string): void;
};

/** @param now milliseconds of a clock that never goes back. */
export function createNotificationEvents(log: Logger, now: () => number): NotificationEvents {
  const counter = meterOf("payments").createCounter("holdfast.bank.notifications", {
    description:
      "Notifications that banks sent, or others in their name, by account and by what came of them",
  });
  const [onRefused, onForeign] = [onceASecond(now), onceASecond(now)];
  return {
    taken({ accountId }, { result, ...named }) {
      counter.add(1, { "holdfast.acquirer.account": accountId, result });
      if (result !== "not_ours")
        return log.info(
          { account: accountId, ...named, outcome: result },
          "the bank has sent a notification",
        );
      // The name that the bank wrote may be anything, so it is not logged.
      onForeign((count) =>
        log.warn({ account: accountId, count }, "a bank's notification names nothing of its account"),
      );
    },
    notGenuine(account, why) {
      counter.add(1, { "holdfast.acquirer.account": account?.accountId ?? "none", result: "not_genuine" });
      onRefused((count) =>
        log.warn({ account: account?.accountId, reason: why, count }, "a notification proves nothing"),
      );
    },
  };
}

/**
 * Writes at most one line a second, with the number since the last one, since anybody may send notifications.
 */
function onceASecond(now: () => number): (write: (count: number) => void) => void {
  let [writtenAt, count] = [-Infinity, 0];
  return (write) => {
    count += 1;
    if (now() - writtenAt < 1_000) return;
    write(count);
    [writtenAt, count] = [now(), 0];
  };
}
