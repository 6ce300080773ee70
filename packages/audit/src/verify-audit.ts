/**
 * `npm run verify-audit`: recomputes the audit chain of each service's schema and looks for the heads that were kept
 * elsewhere; see `verify-audit-command.ts`.
 */
import { runVerifyAudit } from "./verify-audit-command.ts";

await runVerifyAudit();
