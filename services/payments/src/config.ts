import { bankHostsSetting } from "@holdfast/acquirer";
import { auditSettings, auditWire } from "@holdfast/audit";
import { amountsSetting, cutOffSchema, timeZoneSchema } from "@holdfast/contracts";
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
  keyRingSetting,
  refusePlaintext,
  ringSettings,
  scheduleSetting,
  shareSetting,
  textSetting,
} from "@holdfast/service-runtime";
import { z } from "zod";
import { retentionSettings } from "./retention/retention-settings.ts";
import { fingerprintSettings } from "./accept/fingerprint/fingerprint-settings.ts";

const settings = z.object({
  ...commonSettings,
  ...operatorTokenSettings,
  ...staffTokenSettings,
  ...outboxSettings,
  ...auditSettings,
  ...retentionSettings,
  ACQUIRER_HOSTS: bankHostsSetting().describe(
    "Where banks may be: hosts and suffixes separated by commas, such as `sanalpos.bank.example,.est3dgate.example`; a suffix stands for every name below it. An account with another address is refused when it is proposed and is not used.",
  ),
  ALLOW_SIMULATOR: z
    .enum(["test", "live"], { error: "must be test or live" })
    .default("test")
    .describe(
      "Whose payments may go to an account of the simulator's protocol `sim`, which moves no money: those of test mode, or with `live` all. For development.",
    ),
  ACCOUNT_SECRET_KEYS: keyRingSetting()
    .optional()
    .describe(
      "Seal the credentials of acquirer accounts: `id:key` pairs, each key 32 bytes in base64; the first one seals, and older ones are replaced by `keys reencrypt`. Needed to make accounts.",
    ),
  ACCOUNT_CHANGES_TWO_PEOPLE: z
    .enum(["true", "false"], { error: "must be true or false" })
    .default("true")
    .transform((value) => value === "true")
    .describe("Whether a change of an account or of routes has to be confirmed by another person."),
  ACCOUNT_REFRESH: durationSetting()
    .default(10_000)
    .describe(
      "How often accounts and routes are read; a change is in use everywhere by then, and immediately in the process that made it.",
    ),
  ...bankTimeSettings,
  ACQUIRER_CONNECTIONS_SHARE: shareSetting()
    .default(0.25)
    .describe(
      "The part of the connections for payments, of each account, that one merchant may use, at least one. What it sends beyond that waits, in turns with the others, as long as the bank still has its whole `ACQUIRER_TIMEOUT`; then it is answered 503 and there is no payment. An installation for one merchant may set 1.",
    ),
  CARD_SEALING_KEYS: keyRingSetting().describe("Decrypts card data; the same key ring as the gateway's."),
  FILE_KEYS: keyRingSetting().describe(
    "Seals files of evidence, which may show whole card numbers, on their way here and at rest; new ones are sealed under the first key, and older ones by `keys reencrypt`. The same key ring as `settlement` has.",
  ),
  ...fingerprintSettings,
  ...ringSettings,
  HOME_COUNTRY: textSetting("must be an ISO 3166-1 alpha-2 code")
    .regex(/^[A-Z]{2}$/, { error: "must be an ISO 3166-1 alpha-2 code" })
    .default("TR")
    .describe("Cards issued in this country are `DOM`, all others `INT`."),
  BIN_TABLE_REFRESH: durationSetting()
    .default(10_000)
    .describe("How often a process checks for a new BIN import, and so the longest it can use an old table."),
  LEASE_DURATION: durationSetting()
    .optional()
    .describe(
      "How long a process may work on a payment before another may take it over. At least three times `ACQUIRER_TIMEOUT`; without it, that and at least 30 s.",
    ),
  RECOVERY_SCHEDULE: scheduleSetting()
    .prefault("2s,5s,15s,30s,60s")
    .describe("When the acquirer is asked about a payment whose outcome is unknown, counted from its claim."),
  RECOVERY_INTERVAL: durationSetting()
    .default(2_000)
    .describe(
      "How soon recovery looks for due payments after one may have become undecided here; one whose time is known by then is looked at when it comes. While none is due it looks half a minute after the last time, or after 15 intervals if that is less, for what another process has left.",
    ),
  RECOVERY_IN_FLIGHT_MAX: integerSetting(1, 10_000)
    .default(128)
    .describe(
      "Payments of unknown outcome that one process asks about at the same time, of each account; each has a connection of its own.",
    ),
  ADOPT_WITHIN: durationSetting()
    .default(300_000)
    .describe("An approval that is found later than this after the claim is reversed."),
  REVERSE_UNSEEN_AFTER: durationSetting()
    .default(60_000)
    .describe("A payment that the acquirer still does not know after this time is reversed."),
  ACQUIRER_LATE_ARRIVAL: durationSetting()
    .default(900_000)
    .describe(
      "How long after its end a call may still take effect at an acquirer that cannot bind a reference which it has not seen, or that carries out repeats. Until then a payment that it has not seen stays unknown; then it is FAILED, and looked at again after the business day. Of an account that is made without `lateArrivalSeconds`.",
    ),
  WATCH_INTERVAL: durationSetting()
    .default(60_000)
    .describe(
      "How often payments are looked for that ended as never seen by the bank, and about which another inquiry is due.",
    ),
  THREE_DS_SESSION_DURATION: durationSetting({ min: "1s", max: "1h" })
    .default(600_000)
    .describe("How long a buyer has for a 3-D Secure challenge; then the abandoned payment is cancelled."),
  UNRESOLVED_OVERDUE_AFTER: durationSetting()
    .default(86_400_000)
    .describe("The age at which a payment with an unknown outcome is overdue and needs an operator."),
  UNRESOLVED_MEASURE_INTERVAL: durationSetting()
    .default(60_000)
    .describe("How often payments with an unknown outcome are counted."),
  AUTHORIZATION_EXPIRES_AFTER: durationSetting()
    .default(7 * 86_400_000)
    .describe("The age at which an authorization that was not captured expires."),
  EXPIRY_INTERVAL: durationSetting()
    .default(60_000)
    .describe("How often expired authorizations are looked for when there are none."),
  EXPIRY_IN_FLIGHT_MAX: integerSetting(1, 1_000)
    .default(16)
    .describe("Expired authorizations that one process cancels at the same time, of each account."),
  BUSINESS_TIME_ZONE: timeZoneSchema
    .default("Europe/Istanbul")
    .describe(
      "The time zone of the business day; a sale can be voided until its business day ends. Of an account that is made without a `businessDay`.",
    ),
  BUSINESS_DAY_CUT_OFF: cutOffSchema
    .default("00:00")
    .describe("When the business day ends in that time zone."),
  CHECKOUT_EXPIRES_AFTER: durationSetting()
    .default(30 * 60_000)
    .describe("How long a hosted checkout stays open when the merchant sends no `expiresInSeconds`."),
  CHECKOUT_ATTEMPTS_MAX: integerSetting(1, 20)
    .default(5)
    .describe("Cards that a buyer may try on one checkout; the last decline cancels it."),
  PAYMENT_LINK_ATTEMPTS_MAX: integerSetting(1, 100_000)
    .default(30)
    .describe(
      "Cards that may be declined on one payment link within an hour; further ones are refused until then. As many again may be under way beside it, and one more for each payment of the link that was charged: a card tester's burst gets no more.",
    ),
  CHECKOUT_INTERVAL: durationSetting()
    .default(5_000)
    .describe(
      "How soon checkouts are looked for that are over and that nobody reads, to close them, after one may have ended here; one whose time is over is closed then. While none is over it is as with `RECOVERY_INTERVAL`.",
    ),
  REFUND_TWO_APPROVERS_ABOVE: amountsSetting()
    .optional()
    .describe(
      "Where the refunds of one payment exceed these amounts together, two different people have to approve. Without it, one is enough.",
    ),
  CHARGEBACK_TWO_PEOPLE_ABOVE: amountsSetting()
    .optional()
    .describe(
      "The end of a chargeback of more than these amounts is recorded by two different people. Without it, one is enough.",
    ),
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
      "The same for commands that do not wait for the bank: reads, refund reservations, confirmations of events. They have places of their own, so that a bank which hangs leaves them free.",
    ),
});

/** Environment variables of the payments service. */
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
  .register(goneSettings, {
    ACQUIRER_URL: "make an account by POST /operator/acquirer-accounts, with `default` for all payments",
    ACQUIRER_CONNECTIONS_MAX: "each account has its `connectionsMax`, and refunds have `REFUND_CALLS_MAX`",
    ACQUIRER_REFUND_CONNECTIONS_MAX: "each account has its `connectionsMax`",
    ACQUIRER_REPETITION: "each account of the simulator has its `repetition`",
  });

export type Config = z.infer<typeof configSchema>;
