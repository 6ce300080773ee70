import { currencyExponent, parseAmount } from "@holdfast/contracts";
import { outboxSettings } from "@holdfast/outbox";
import { operatorTokenSettings } from "@holdfast/operator-token";
import {
  commonSettings,
  durationSetting,
  integerSetting,
  scheduleSetting,
  urlSetting,
} from "@holdfast/service-runtime";
import { z } from "zod";

/** Environment variables of the refunds service. */
export const configSchema = z.object({
  ...commonSettings,
  ...operatorTokenSettings,
  ...outboxSettings,
  ACQUIRER_URL: urlSetting("http:", "https:").describe("The acquirer."),
  ACQUIRER_TIMEOUT: durationSetting()
    .default(15_000)
    .describe(
      "How long one call to the acquirer may take; less than the 18 s that the gateway gives a command.",
    ),
  ACQUIRER_CONNECTIONS_MAX: integerSetting(1, 10_000)
    .default(64)
    .describe("Connections to the acquirer; calls beyond that wait for one."),
  PAYMENTS_TIMEOUT: durationSetting()
    .default(5_000)
    .describe("How long payments may take to acknowledge the end of a refund."),
  REFUND_TWO_APPROVERS_ABOVE: amountsSetting()
    .optional()
    .describe(
      "Where the refunds of one payment exceed these amounts together, two different people have to approve. Without it, one is enough.",
    ),
  REFUND_APPROVER_DAILY_MAX: amountsSetting()
    .optional()
    .describe("What one person may approve in 24 hours. Without it, there is no limit."),
  LEASE_DURATION: durationSetting()
    .default(30_000)
    .describe("How long a process may work on one phase of a refund before another may take it over."),
  RECOVERY_SCHEDULE: scheduleSetting()
    .prefault("2s,5s,15s,30s,60s")
    .describe("When a decided refund that has not ended is tried again, counted from the decision."),
  RECOVERY_INTERVAL: durationSetting().default(1_000).describe("How often recovery looks for due refunds."),
  RECOVERY_IN_FLIGHT_MAX: integerSetting(1, 10_000)
    .default(32)
    .describe(
      "Refunds that one process takes up again at the same time; fewer than its connections to the acquirer.",
    ),
  QUEUE_MEASURE_INTERVAL: durationSetting()
    .default(15_000)
    .describe("How often the queue of undecided refunds is measured."),
  UNDECIDED_OVERDUE_AFTER: durationSetting()
    .default(86_400_000)
    .describe("The age at which a refund that waits for a decision is overdue and is logged as an error."),
  UNRESOLVED_OVERDUE_AFTER: durationSetting()
    .default(86_400_000)
    .describe("The age at which a refund with an unknown outcome is overdue and needs an operator."),
  IDEMPOTENCY_RETENTION: durationSetting()
    .default(7 * 86_400_000)
    .describe("How long an Idempotency-Key is kept."),
  COMMANDS_IN_FLIGHT_MAX: integerSetting(1, 100_000)
    .default(1_024)
    .describe(
      "Commands under way in one process that may wait for the bank; one more is refused before it starts.",
    ),
  LOCAL_COMMANDS_IN_FLIGHT_MAX: integerSetting(1, 100_000)
    .default(1_024)
    .describe(
      "The same for commands that do not wait for the bank: reads, refund requests, rejections, confirmations of events. They have places of their own, so that a bank which hangs leaves them free.",
    ),
});
export type Config = z.infer<typeof configSchema>;

/** Minor units by currency. */
export type AmountsByCurrency = ReadonlyMap<string, bigint>;

function amountsSetting() {
  const error = "must be currency:amount pairs separated by commas, such as TRY:1000.00,EUR:200.00";
  return z.string({ error }).transform((value, context): AmountsByCurrency => {
    const amounts = new Map<string, bigint>();
    for (const part of value.split(",")) {
      const [, currency = "", amount = ""] = /^([A-Z]{3}):([\d.]+)$/.exec(part.trim()) ?? [];
      const exponent = currencyExponent(currency);
      const parsed = exponent === undefined ? undefined : parseAmount(amount, exponent);
      const minor = parsed === "must_be_positive" ? 0n : parsed;
      if (typeof minor !== "bigint" || amounts.has(currency)) {
        context.addIssue({ code: "custom", message: error });
        return z.NEVER;
      }
      amounts.set(currency, minor);
    }
    return amounts;
  });
}
