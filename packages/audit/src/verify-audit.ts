/**
 * `npm run verify-audit`: recomputes the audit chain of each service's schema and looks for the heads that were kept
 * elsewhere; see `verify-audit-command.ts`.
 */
import { verifyAudit } from "./verify-audit-command.ts";

try {
  process.exitCode = await verifyAudit(
    process.argv.slice(2),
    process.env,
    (text) => void process.stdout.write(text),
  );
} catch (error) {
  process.stderr.write(`verify-audit: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
