import { durationSetting } from "@holdfast/service-runtime";

const DAY_MS = 86_400_000;

/** The time that a payment's data is kept; `retention-policy.ts` says what reads it meanwhile. */
export const retentionSettings = {
  CHECKOUT_RETENTION: durationSetting({ min: "1d" })
    .default(30 * DAY_MS)
    .describe("How long a checkout can be read after its end; its payments stay."),
  THREE_DS_RETENTION: durationSetting({ min: "1d" })
    .default(30 * DAY_MS)
    .describe("How long a 3-D Secure session in which nobody was authenticated is kept after its end."),
  THREE_DS_EVIDENCE_RETENTION: durationSetting({ min: "1d" })
    .default(540 * DAY_MS)
    .describe(
      "How long a 3-D Secure session with the result of an authentication is kept: it says who is liable in a dispute, and card schemes accept disputes for up to 540 days.",
    ),
  REQUEST_IP_RETENTION: durationSetting({ min: "1d" })
    .default(540 * DAY_MS)
    .describe("How long the address that a payment was requested from is kept; the payment stays."),
};
