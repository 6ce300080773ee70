import { fileURLToPath } from "node:url";
import { runMigrationCommand } from "@holdfast/service-runtime";

await runMigrationCommand("console", fileURLToPath(new URL("../migrations", import.meta.url)));
