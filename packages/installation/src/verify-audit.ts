// `npm run verify-audit` in the image of the installation: the CronJob that verifies the audit logs runs it.
import { verifyAudit } from "@holdfast/audit";

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
