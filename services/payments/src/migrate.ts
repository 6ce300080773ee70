import { fileURLToPath } from "node:url";
import { runMigrationCommand } from "@holdfast/service-runtime";

await runMigrationCommand("payments", fileURLToPath(new URL("../migrations", import.meta.url)));
