import { auditSettings, auditWire } from "@holdfast/audit";
import { operatorTokenSettings, operatorTokenWire } from "@holdfast/operator-token";
import {
  commonSettings,
  commonWires,
  durationSetting,
  integerSetting,
  refusePlaintext,
  textSetting,
} from "@holdfast/service-runtime";
import { z } from "zod";

const settings = z.object({
  ...commonSettings,
  ...operatorTokenSettings,
  ...auditSettings,
  FACT_ASK_INTERVAL: durationSetting()
    .default(15_000)
    .describe("How often the service looks for facts about which their owner has to be asked."),
  FACT_ASK_FIRST: durationSetting()
    .default(3_600_000)
    .describe(
      "How long after an authorization its owner is first asked whether it was captured; each further wait is four times as long, up to a day. The questions end 40 days after it.",
    ),
  SETTLEMENT_MAPPINGS_DIR: textSetting("must be the path of a directory")
    .optional()
    .describe(
      "A directory with mappings (`*.json`) beside the shipped ones, which they may replace. They are read at the start.",
    ),
  IMPORT_INTERVAL: durationSetting()
    .default(1_000)
    .describe("How often the service looks for files that have arrived."),
  IMPORT_LEASE: durationSetting()
    .default(60_000)
    .describe(
      "How long a process may read a file without a sign of life before another one begins it again.",
    ),
  MATCH_INTERVAL: durationSetting()
    .default(5_000)
    .describe("How often lines that were taken, and facts that have changed since, are compared."),
  COMMANDS_IN_FLIGHT_MAX: integerSetting(1, 100_000)
    .default(64)
    .describe("Operators' commands under way in one process; one more is refused before it starts."),
});

/** Of one file: larger, or with more lines that cannot be read, it is refused whole. */
export const FILE_BOUNDS = { bytesMax: 1_073_741_824, faultsMax: 10_000 } as const;

/** Environment variables of the settlement service. */
export const configSchema = settings.check(
  refusePlaintext((settings) => [...commonWires(settings), operatorTokenWire(settings), auditWire(settings)]),
);
export type Config = z.infer<typeof configSchema>;
