import {
  commonSettings,
  durationSetting,
  integerSetting,
  keyRingSetting,
  keySetting,
  textSetting,
  urlSetting,
} from "@holdfast/service-runtime";
import { z } from "zod";

/** Environment variables of the payments service. */
export const configSchema = z.object({
  ...commonSettings,
  ACQUIRER_URL: urlSetting("http:", "https:"),
  /** Bound of one acquirer call; the gateway gives a command 18 s. */
  ACQUIRER_TIMEOUT: durationSetting().default(15_000),
  ACQUIRER_CONNECTIONS_MAX: integerSetting(1, 10_000).default(256),
  /** The same ring as the gateway's. */
  CARD_SEALING_KEYS: keyRingSetting(),
  /** Keys the fingerprint by which a card is recognised without its number being kept. */
  PAN_FINGERPRINT_KEY: keySetting(),
  /** Cards issued here are DOM, others INT. */
  HOME_COUNTRY: textSetting("must be an ISO 3166-1 alpha-2 code")
    .regex(/^[A-Z]{2}$/, { error: "must be an ISO 3166-1 alpha-2 code" })
    .default("TR"),
  /** How long a process may work on a payment before another may take it over; longer than a command may take. */
  LEASE_DURATION: durationSetting().default(30_000),
  /** Commands under way at once; one more is refused as not started. */
  COMMANDS_IN_FLIGHT_MAX: integerSetting(1, 100_000).default(1_024),
});
export type Config = z.infer<typeof configSchema>;
