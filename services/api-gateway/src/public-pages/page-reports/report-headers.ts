import { withoutTrailingSlashes } from "../public-url.ts";

/** The path for the router. */
export const REPORTS_PATH = "/csp-reports";

/**
 * The path for browsers, which may reach us under a prefix. It is part of a policy, in which `;` and `,`
 * would end it.
 */
export function reportsPathOf(publicUrl: string): string {
  const base = withoutTrailingSlashes(new URL(publicUrl).pathname);
  return `${base}${REPORTS_PATH}`.replaceAll(";", "%3B").replaceAll(",", "%2C");
}

/** The header that gives `report-to` its address; it is the same for all pages of one origin. */
export function reportingEndpoints(publicUrl: string): Record<string, string> {
  return { "Reporting-Endpoints": `page="${reportsPathOf(publicUrl)}"` };
}

/** The end of a Content-Security-Policy; browsers that do not know `report-to` go by `report-uri`. */
export function reportDirectives(reportsPath: string): string[] {
  return ["report-to page", `report-uri ${reportsPath}`];
}
