import { currencyExponent, parseAmount } from "@holdfast/contracts";
import { outboxSettings } from "@holdfast/outbox";
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
  ...outboxSettings,
  ACQUIRER_URL: urlSetting("http:", "https:"),
  /** Bound of one acquirer call; the gateway gives a command 18 s. */
  ACQUIRER_TIMEOUT: durationSetting().default(15_000),
  ACQUIRER_CONNECTIONS_MAX: integerSetting(1, 10_000).default(64),
  /** Time `payments` has to acknowledge a refund's end. */
  PAYMENTS_TIMEOUT: durationSetting().default(5_000),
  /** Refunds above these amounts take two different approvers: `TRY:1000.00,EUR:200.00`. */
  REFUND_TWO_APPROVERS_ABOVE: amountsSetting().optional(),
  /** How long a process may work on one phase of a refund before another may take it over. */
  LEASE_DURATION: durationSetting().default(30_000),
  /** Attempts to bring a decided refund to its end, counted from the decision. */
  RECOVERY_SCHEDULE: scheduleSetting().prefault("2s,5s,15s,30s,60s"),
  /** How often recovery looks for what is due. */
  RECOVERY_INTERVAL: durationSetting().default(1_000),
  /** How often the queue is measured. */
  QUEUE_MEASURE_INTERVAL: durationSetting().default(15_000),
  /** Age from which a refund that waits for a decision is worth an alert. */
  UNDECIDED_OVERDUE_AFTER: durationSetting().default(86_400_000),
  /** Age from which a refund whose outcome at the bank is not known is for people to look at. */
  UNRESOLVED_OVERDUE_AFTER: durationSetting().default(86_400_000),
  /** How long an Idempotency-Key is kept. */
  IDEMPOTENCY_RETENTION: durationSetting().default(7 * 86_400_000),
  /** Commands under way side by side; one more is refused as not started. */
  COMMANDS_IN_FLIGHT_MAX: integerSetting(1, 100_000).default(1_024),
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
