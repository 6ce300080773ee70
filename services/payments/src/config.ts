import { outboxSettings } from "@holdfast/outbox";
import {
  commonSettings,
  durationSetting,
  integerSetting,
  keyRingSetting,
  keySetting,
  scheduleSetting,
  textSetting,
  urlSetting,
} from "@holdfast/service-runtime";
import { z } from "zod";

/** Environment variables of the payments service. */
export const configSchema = z.object({
  ...commonSettings,
  ...outboxSettings,
  ACQUIRER_URL: urlSetting("http:", "https:"),
  /** Bound of one acquirer call; the gateway gives a command 18 s. */
  ACQUIRER_TIMEOUT: durationSetting().default(15_000),
  ACQUIRER_CONNECTIONS_MAX: integerSetting(1, 10_000).default(256),
  /** The same ring as the gateway's. */
  CARD_SEALING_KEYS: keyRingSetting(),
  /** Key of the fingerprint by which a card is recognised without its number being stored. */
  PAN_FINGERPRINT_KEY: keySetting(),
  /** Cards issued here are DOM, others INT. */
  HOME_COUNTRY: textSetting("must be an ISO 3166-1 alpha-2 code")
    .regex(/^[A-Z]{2}$/, { error: "must be an ISO 3166-1 alpha-2 code" })
    .default("TR"),
  /** How often a process checks for a new BIN import, and so the longest it can use an old table. */
  BIN_TABLE_REFRESH: durationSetting().default(5_000),
  /** How long a process may work on a payment before another may take it over; longer than a command may take. */
  LEASE_DURATION: durationSetting().default(30_000),
  /** Times of the inquiries about a payment of unknown outcome, counted from its claim. */
  RECOVERY_SCHEDULE: scheduleSetting().prefault("2s,5s,15s,30s,60s"),
  /** How often recovery runs. */
  RECOVERY_INTERVAL: durationSetting().default(1_000),
  /** An approval found later than this after the claim is reversed. */
  ADOPT_WITHIN: durationSetting().default(300_000),
  /** A payment the acquirer has not seen by then is reversed. */
  REVERSE_UNSEEN_AFTER: durationSetting().default(60_000),
  /** How long a cardholder has for a 3-D Secure challenge; an abandoned payment is then released and cancelled. */
  THREE_DS_SESSION_DURATION: durationSetting()
    .refine((durationMs) => durationMs >= 1_000 && durationMs <= 3_600_000, { error: "must be 1s to 1h" })
    .default(600_000),
  /** Age from which an operator has to settle an unresolved payment. */
  UNRESOLVED_OVERDUE_AFTER: durationSetting().default(86_400_000),
  /** How often unknown outcomes are counted. */
  UNRESOLVED_MEASURE_INTERVAL: durationSetting().default(15_000),
  /** Age at which an authorization that was not captured expires. */
  AUTHORIZATION_EXPIRES_AFTER: durationSetting().default(7 * 86_400_000),
  /** How often expiry runs. */
  EXPIRY_INTERVAL: durationSetting().default(60_000),
  /** A sale can be cancelled until its business day ends: at the cut-off (HH:MM) in this time zone. */
  BUSINESS_TIME_ZONE: textSetting("must be an IANA time zone such as Europe/Istanbul")
    .refine((value) => Intl.supportedValuesOf("timeZone").includes(value) || value === "UTC", {
      error: "must be an IANA time zone such as Europe/Istanbul",
    })
    .default("Europe/Istanbul"),
  BUSINESS_DAY_CUT_OFF: textSetting("must be a time of day, HH:MM")
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/, { error: "must be a time of day, HH:MM" })
    .default("00:00"),
  /** How long a hosted checkout stays open if its merchant names no time (expiresInSeconds). */
  CHECKOUT_EXPIRES_AFTER: durationSetting().default(30 * 60_000),
  /** Cards that may be tried on one checkout; the last decline cancels it. */
  CHECKOUT_ATTEMPTS_MAX: integerSetting(1, 20).default(5),
  /** How often expired checkouts are closed when nobody reads them. */
  CHECKOUT_INTERVAL: durationSetting().default(5_000),
  /** How long an Idempotency-Key is kept. */
  IDEMPOTENCY_RETENTION: durationSetting().default(7 * 86_400_000),
  /** Commands under way side by side; one more is refused as not started. */
  COMMANDS_IN_FLIGHT_MAX: integerSetting(1, 100_000).default(1_024),
});
export type Config = z.infer<typeof configSchema>;
