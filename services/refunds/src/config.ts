import { auditSettings, auditWire } from "@holdfast/audit";
import { amountsSetting } from "@holdfast/contracts";
import { outboxSettings } from "@holdfast/outbox";
import {
  operatorTokenSettings,
  operatorTokenWire,
  checkStaffTokens,
  staffTokenSettings,
  staffTokenWire,
} from "@holdfast/operator-token";
import {
  bankTimeSettings,
  checkBankWaits,
  commonSettings,
  commonWires,
  durationSetting,
  goneSettings,
  integerSetting,
  refusePlaintext,
  scheduleSetting,
  shareSetting,
} from "@holdfast/service-runtime";
import { z } from "zod";

const settings = z.object({
  ...commonSettings,
  ...operatorTokenSettings,
  ...staffTokenSettings,
  ...outboxSettings,
  ...auditSettings,
  REFUND_CALLS_MAX: integerSetting(1, 10_000)
    .default(256)
    .describe(
      "Calls to the acquirer, made by payments, that may be under way for refunds that operators decide, of each account. Recovery has as many of its own beside them as it has in flight.",
    ),
  ACQUIRER_CONNECTIONS_SHARE: shareSetting()
    .default(0.25)
    .describe(
      "The part of them that refunds of one merchant may use, at least one. A refund beyond that waits, in turns with the others, at most a third of `LEASE_DURATION`; then recovery carries it out.",
    ),
  PAYMENTS_TIMEOUT: durationSetting()
    .default(5_000)
    .describe("How long payments may take to acknowledge the end of a refund."),
  REFUND_APPROVER_DAILY_MAX: amountsSetting()
    .optional()
    .describe("What one person may approve in 24 hours. Without it, there is no limit."),
  ...bankTimeSettings,
  LEASE_DURATION: durationSetting()
    .optional()
    .describe(
      "How long a process may work on one phase of a refund before another may take it over. At least three times `ACQUIRER_TIMEOUT`; without it, that and at least 30 s. A step at the bank, which may be an inquiry and a call behind it, is waited for two thirds of it.",
    ),
  RECOVERY_SCHEDULE: scheduleSetting()
    .prefault("2s,5s,15s,30s,60s")
    .describe("When a decided refund that has not ended is tried again, counted from the decision."),
  RECOVERY_INTERVAL: durationSetting()
    .default(2_000)
    .describe(
      "How soon recovery looks for due refunds after one may have to be tried again; one whose time is known by then is looked at when it comes. While none is due it looks half a minute after the last time, or after 15 intervals if that is less, for what another process has left.",
    ),
  RECOVERY_IN_FLIGHT_MAX: integerSetting(1, 10_000)
    .default(32)
    .describe("Refunds that one process takes up again at the same time, of each account."),
  QUEUE_MEASURE_INTERVAL: durationSetting()
    .default(60_000)
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
  COMMANDS_IN_FLIGHT_SHARE: shareSetting()
    .default(0.25)
    .describe(
      "The part of `COMMANDS_IN_FLIGHT_MAX`, and of `LOCAL_COMMANDS_IN_FLIGHT_MAX`, that commands of one merchant may have, at least one.",
    ),
  COMMANDS_IN_FLIGHT_MAX: integerSetting(1, 100_000)
    .default(4_096)
    .describe(
      "Commands under way in one process that may wait for the bank; one more is refused before it starts.",
    ),
  LOCAL_COMMANDS_IN_FLIGHT_MAX: integerSetting(1, 100_000)
    .default(4_096)
    .describe(
      "The same for commands that do not wait for the bank: reads, refund requests, rejections, confirmations of events. They have places of their own, so that a bank which hangs leaves them free.",
    ),
});

/** Environment variables of the refunds service. */
export const configSchema = settings
  .check(
    refusePlaintext((settings) => [
      ...commonWires(settings),
      operatorTokenWire(settings),
      staffTokenWire(settings),
      auditWire(settings),
    ]),
    checkBankWaits,
    checkStaffTokens,
  )
  .register(goneSettings, { ACQUIRER_CONNECTIONS_MAX: "`REFUND_CALLS_MAX`" });
export type Config = z.infer<typeof configSchema>;
