import { amountsSetting } from "@holdfast/contracts";
import { auditSettings, auditWire } from "@holdfast/audit";
import { outboxSettings } from "@holdfast/outbox";
import {
  operatorTokenSettings,
  operatorTokenWire,
  checkStaffTokens,
  staffTokenSettings,
  staffTokenWire,
} from "@holdfast/operator-token";
import {
  commonSettings,
  commonWires,
  durationSetting,
  integerSetting,
  keyRingSetting,
  refusePlaintext,
  textSetting,
} from "@holdfast/service-runtime";
import { z } from "zod";

/** Read by the service, and by `settle` from its own environment. */
export const fileChangesSetting = z
  .enum(["true", "false"], { error: "must be true or false" })
  .default("true")
  .transform((value) => value === "true")
  .describe(
    "Whether a bank's file counts only once another person than the one who sent it has confirmed it.",
  );

const settings = z.object({
  ...commonSettings,
  ...operatorTokenSettings,
  ...staffTokenSettings,
  ...outboxSettings,
  ...auditSettings,
  FEED_INTERVAL: durationSetting({ min: "10ms", max: "1m" })
    .default(30_000)
    .describe(
      "How often the feeds of movements of `payments` and `refunds` are read, beside the times when a file waits for them; every fifth time, and at least every 15 s, the list of accounts at banks is copied, too.",
    ),
  FACT_COMPARE_INTERVAL: durationSetting({ min: "100ms" })
    .default(86_400_000)
    .describe(
      "How often all that the owners have of the last days is compared with the facts here, in both directions, beginning at start as soon as the feeds have been read. What is younger than this, and than an hour, waits for the next time.",
    ),
  FACT_COMPARE_SPAN: durationSetting({ max: "90d" })
    .default(259_200_000)
    .describe(
      "How far back that comparison goes: several intervals, so that it also covers a day on which this service did not run.",
    ),
  SETTLEMENT_MAPPINGS: textSetting("directory")
    .optional()
    .describe(
      "A directory with further mappings of banks' files (`*.json`), which may replace the shipped ones. It is read at start.",
    ),
  FILE_KEYS: keyRingSetting().describe(
    "Seals uploaded files, which may have whole card numbers, on their way here and until they are read; the same key ring as `payments` has.",
  ),
  MATCH_INTERVAL: durationSetting()
    .default(5_000)
    .describe(
      "How often uploaded files are looked for, and lines that were taken and facts that have changed since, to be compared; and how soon statements are looked at that may be complete.",
    ),
  FILE_CHANGES_TWO_PEOPLE: fileChangesSetting,
  UPLOADS_MIB_MAX: integerSetting(1, 1_048_576)
    .default(2_048)
    .describe(
      "How many MiB the files may have together that are uploaded or wait for a second person; one more is answered 503 `uploads_full`. They share a volume with everything else.",
    ),
  DIFFERENCE_TWO_PEOPLE_ABOVE: amountsSetting()
    .optional()
    .describe(
      "A difference about more than these amounts is closed by two different people. Without it, one is enough.",
    ),
  COMMANDS_IN_FLIGHT_MAX: integerSetting(1, 100_000)
    .default(64)
    .describe("Operators' commands under way in one process; one more is refused before it starts."),
});

/** Environment variables of the settlement service. */
export const configSchema = settings.check(
  refusePlaintext((settings) => [
    ...commonWires(settings),
    operatorTokenWire(settings),
    staffTokenWire(settings),
    auditWire(settings),
  ]),
  checkStaffTokens,
);
export type Config = z.infer<typeof configSchema>;
