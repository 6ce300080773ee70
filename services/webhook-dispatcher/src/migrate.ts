import { fileURLToPath } from "node:url";
import { runMigrationCommand } from "@holdfast/service-runtime";

await runMigrationCommand("webhooks", fileURLToPath(new URL("../migrations", import.meta.url)));
