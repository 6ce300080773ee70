import { durationSetting, keyRingSetting, keySetting, type KeyRing } from "@holdfast/service-runtime";
import type { z } from "zod";

/** The keys of fingerprints, and for how long what was made under them is compared. */
export const fingerprintSettings = {
  PAN_FINGERPRINT_KEYS: keyRingSetting()
    .optional()
    .describe(
      "Keys of the fingerprint by which a card is recognized without storing its number. New fingerprints are made under the first; stored ones are compared under all.",
    ),
  PAN_FINGERPRINT_KEY: keySetting()
    .optional()
    .describe(
      "The older form of `PAN_FINGERPRINT_KEYS`: one key without an id, which is `0` in a ring. One of the two is required.",
    ),
  IDEMPOTENCY_RETENTION: durationSetting()
    .default(7 * 86_400_000)
    .describe("How long an Idempotency-Key is kept."),
};

type FingerprintKeys = Pick<
  z.output<z.ZodObject<typeof fingerprintSettings>>,
  "PAN_FINGERPRINT_KEYS" | "PAN_FINGERPRINT_KEY"
>;

/** The id of the only key that services had before there was a ring. */
export const FIRST_KEY_ID = "0";

/** The ring, also where it is set as the single key that it was. */
export function fingerprintRing({
  PAN_FINGERPRINT_KEYS: ring,
  PAN_FINGERPRINT_KEY: single,
}: FingerprintKeys): KeyRing {
  return ring ?? { activeId: FIRST_KEY_ID, keys: new Map(single && [[FIRST_KEY_ID, single]]) };
}

/** The fault of the two together; undefined when exactly one is set. */
export function fingerprintKeysFault({
  PAN_FINGERPRINT_KEYS: ring,
  PAN_FINGERPRINT_KEY: single,
}: FingerprintKeys): string | undefined {
  if ((ring === undefined) !== (single === undefined)) return undefined;
  return ring ? "may not be set beside PAN_FINGERPRINT_KEY" : "must be id:key pairs separated by commas";
}
