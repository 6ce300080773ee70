import { bankTimeSettings, bankWaits, durationSetting } from "@holdfast/service-runtime";

/** The times for which the gateway waits for services. */
export const waitSettings = {
  ...bankTimeSettings,
  HANDLER_TIMEOUT: durationSetting()
    .optional()
    .describe(
      "How long a service may take for a command. Without it, 3 s more than `ACQUIRER_TIMEOUT` and at least 18 s.",
    ),
  REQUEST_TIMEOUT: durationSetting()
    .optional()
    .describe(
      "How long the gateway waits for a service's answer. Without it, 2 s more than a command may take and at least 20 s.",
    ),
};

/**
 * The time for which a begun request keeps its key: a route sends at most three commands, besides the parts
 * of a file.
 */
export function keyLeaseMs(config: Parameters<typeof bankWaits>[0]): number {
  return 4 * bankWaits(config).requestMs;
}
