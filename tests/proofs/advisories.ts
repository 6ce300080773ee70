import { z } from "zod";

/** An advisory about a production package that this revision lives with, for the reason given, until a day. */
export type AcceptedAdvisory = { id: string; package: string; because: string; until: string };

/** Each line waits for a release of its package. A vulnerability that can be reached here is mended, not accepted. */
export const ACCEPTED_ADVISORIES: readonly AcceptedAdvisory[] = [];

const ACCEPTED_MAX = 5;
const ACCEPTED_DAYS_MAX = 92;

const advisorySchema = z.object({
  name: z.string(),
  title: z.string(),
  url: z.string(),
  severity: z.string(),
  range: z.string(),
});

/** The report of `npm audit --json`. A vulnerability names its advisories, or the package through which it has them. */
export const auditReportSchema = z.object({
  auditReportVersion: z.literal(2),
  vulnerabilities: z.record(z.string(), z.object({ via: z.array(z.union([z.string(), advisorySchema])) })),
  // A report about no dependencies is not valid.
  metadata: z.object({ dependencies: z.object({ prod: z.number().min(50) }) }),
});

/** Compares a report with what is accepted. @returns the faults, each in a sentence. */
export function judgeAdvisories(
  { vulnerabilities }: z.infer<typeof auditReportSchema>,
  accepted: readonly AcceptedAdvisory[],
  now: Date,
): string[] {
  const today = now.toISOString().slice(0, 10);
  const advisories = new Map(
    Object.values(vulnerabilities)
      .flatMap(({ via }) => via)
      .filter((each) => typeof each !== "string")
      .map((each) => [`${each.name} ${idOf(each.url)}`, each]),
  );
  const isAccepted = new Set(
    accepted.filter(({ until }) => until >= today).map((each) => `${each.package} ${each.id}`),
  );
  return [
    ...[...advisories]
      .filter(([name]) => !isAccepted.has(name))
      .map(([name, { severity, range, title }]) => `${name}: ${title} (${severity}, ${range})`),
    ...accepted
      .filter((each) => !advisories.has(`${each.package} ${each.id}`))
      .map((each) => `${each.package} ${each.id} is accepted, but no longer reported`),
    ...faultsOfAccepted(accepted, today),
  ];
}

function faultsOfAccepted(accepted: readonly AcceptedAdvisory[], today: string): string[] {
  const latest = Temporal.PlainDate.from(today).add({ days: ACCEPTED_DAYS_MAX }).toString();
  return [
    ...(accepted.length > ACCEPTED_MAX ? [`more than ${ACCEPTED_MAX} advisories are accepted`] : []),
    ...accepted
      .filter(
        ({ because, until }) => because.length < 20 || !/^\d{4}-\d{2}-\d{2}$/.test(until) || until > latest,
      )
      .map(({ id }) => `${id} is accepted without a reason, or for more than ${ACCEPTED_DAYS_MAX} days`),
  ];
}

function idOf(url: string): string {
  return url.split("/").at(-1)!;
}
