import { runReconcileCommand } from "@holdfast/outbox";
import { commonSettings, parseConfig } from "@holdfast/service-runtime";
import { z } from "zod";

// DATABASE_URL=… NATS_URL=… node src/outbox/reconcile.ts --since 2026-11-20T00:00:00Z
const { DATABASE_URL, NATS_URL, NATS_USER, NATS_PASSWORD } = commonSettings;
const configSchema = z.object({ DATABASE_URL, NATS_URL, NATS_USER, NATS_PASSWORD });

await runReconcileCommand("refunds", () => parseConfig(configSchema, process.env));
