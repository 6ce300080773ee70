import { runReconcileCommand } from "@holdfast/outbox";

// DATABASE_URL=… NATS_URL=… NATS_USER=… NATS_PASSWORD=… node src/reconcile.ts --since 2026-11-20T00:00:00Z
await runReconcileCommand("settlement");
