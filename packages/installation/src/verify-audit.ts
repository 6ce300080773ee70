// `npm run verify-audit` in the image of the installation: the CronJob that verifies the audit logs runs it.
import { runVerifyAudit } from "@holdfast/audit";

await runVerifyAudit();
