import { holdsCardNumber } from "@holdfast/contracts";
import { z } from "zod";

/** Something that a page of ours was to do in a browser and its policy did not allow. */
export type Violation = {
  /** The directive of our Content-Security-Policy, `integrity`, or `other`. */
  directive: string;
  /** The kind of content that was stopped. */
  source: "inline" | "eval" | "extension" | "own" | "foreign" | "other";
  /** The origin of the content, without path and query. */
  origin?: string;
};

/**
 * Reads browsers' reports of violations: `application/reports+json` (Reporting API) or
 * `application/csp-report`. Anybody can send anything here, so a report is reduced to one of a few words and
 * at most an origin.
 *
 * @param ownOrigin the origin of our pages.
 * @returns an empty list for a body that is no report.
 */
export function readReports(body: string, ownOrigin: string): Violation[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return [];
  }
  return bodySchema.safeParse(parsed).data?.map((report) => violationOf(report, ownOrigin)) ?? [];
}

type Report = { directive: string; blocked: string };

const text = z.string().max(4_096).catch("");

const legacySchema = z
  .object({
    "csp-report": z.object({ "effective-directive": text, "violated-directive": text, "blocked-uri": text }),
  })
  .transform(({ "csp-report": report }): Report[] => [
    {
      directive: report["effective-directive"] || report["violated-directive"],
      blocked: report["blocked-uri"],
    },
  ]);

const reportSchema = z.discriminatedUnion("type", [
  z
    .object({
      type: z.literal("csp-violation"),
      body: z.object({ effectiveDirective: text, blockedURL: text }),
    })
    .transform(({ body }): Report => ({ directive: body.effectiveDirective, blocked: body.blockedURL })),
  z
    .object({ type: z.literal("integrity-violation"), body: z.object({ blockedURL: text }) })
    .transform(({ body }): Report => ({ directive: "integrity", blocked: body.blockedURL })),
]);

const listSchema = z
  .array(reportSchema.nullable().catch(null))
  .max(50)
  .transform((reports) => reports.filter((report) => report !== null));

const bodySchema = z.union([legacySchema, listSchema]);

function violationOf({ directive, blocked }: Report, ownOrigin: string): Violation {
  // An older browser sends the directive with its values.
  const [name = ""] = directive.trim().split(" ");
  return { directive: DIRECTIVES.has(name) ? name : "other", ...sourceOf(blocked, ownOrigin) };
}

/** The directives of our pages' policy, and those that browsers report in their place. */
const DIRECTIVES: ReadonlySet<string> = new Set([
  "base-uri",
  "child-src",
  "connect-src",
  "default-src",
  "font-src",
  "form-action",
  "frame-ancestors",
  "frame-src",
  "img-src",
  "integrity",
  "manifest-src",
  "media-src",
  "object-src",
  "require-trusted-types-for",
  "script-src",
  "script-src-attr",
  "script-src-elem",
  "style-src",
  "style-src-attr",
  "style-src-elem",
  "trusted-types",
  "worker-src",
]);

function sourceOf(blocked: string, ownOrigin: string): Pick<Violation, "source" | "origin"> {
  if (blocked === "inline") return { source: "inline" };
  if (blocked === "eval" || blocked === "wasm-eval") return { source: "eval" };
  // Some browsers give no more than the scheme.
  if (/^[a-z-]{1,32}-extension(?::|$)/.test(blocked)) return { source: "extension" };
  const { protocol, origin } = URL.parse(blocked) ?? {};
  if (origin === undefined || (protocol !== "https:" && protocol !== "http:")) return { source: "other" };
  if (origin === ownOrigin) return { source: "own" };
  const isShown = origin.length <= ORIGIN_LENGTH_MAX && !holdsCardNumber(origin);
  return { source: "foreign", ...(isShown && { origin }) };
}

const ORIGIN_LENGTH_MAX = 120;
