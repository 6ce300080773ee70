import { FILES, read } from "../tidy/tree.ts";

/** The programs that write to audit logs. */
const WRITER =
  /^(?:services\/(?!console\/)[^/]+|packages\/audit|tools\/installation)\/src\/.*(?<!\.test)\.ts$/;

/** The text of each file that may write to an audit log. */
export function auditSources(): string[] {
  const sources = FILES.filter((path) => WRITER.test(path) && !path.includes("/test/")).map(read);
  return sources.filter((text) => /audit/i.test(text));
}
