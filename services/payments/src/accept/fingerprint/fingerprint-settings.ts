import { durationSetting, keyRingSetting } from "@holdfast/service-runtime";

/** The keys of fingerprints, and for how long what was made under them is compared. */
export const fingerprintSettings = {
  PAN_FINGERPRINT_KEYS: keyRingSetting().describe(
    "Keys of the fingerprint by which a card is recognized without storing its number. New fingerprints are made under the first; stored ones are compared under all.",
  ),
  IDEMPOTENCY_RETENTION: durationSetting()
    .default(7 * 86_400_000)
    .describe("How long an Idempotency-Key is kept."),
};
