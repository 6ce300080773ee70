import { runReconcileCommand } from "@holdfast/outbox";
import {
  busSettings,
  commonSettings,
  commonWires,
  parseConfig,
  plaintextSettings,
  refusePlaintext,
} from "@holdfast/service-runtime";
import { z } from "zod";

// DATABASE_URL=… NATS_URL=… NATS_USER=… NATS_PASSWORD=… node src/reconcile.ts --since 2026-11-20T00:00:00Z
const { DATABASE_URL } = commonSettings;
const configSchema = z
  .object({ DATABASE_URL, ...busSettings, ...plaintextSettings })
  .check(refusePlaintext((settings) => commonWires(settings)));

await runReconcileCommand("payments", () => parseConfig(configSchema, process.env));
