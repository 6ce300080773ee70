import type { Access } from "./read-access.ts";
import type { OfferedTls } from "./offered-ciphers.ts";
import type { DatabaseScan } from "./scan-database.ts";
import type { FileScan } from "./scan-files.ts";
import type { SettingsEvidence } from "./read-settings.ts";

/** `evidence.json`. A part that was not asked for, or could not be collected, says why. */
export type Evidence = {
  versions: { holdfast: string; node: string; postgresql: string; packages: number; collectedAt: string };
  tls: OfferedTls[];
  /** Rings by process, and the rows that need each key. Never a key itself. */
  keys: { process: string; rings: Record<string, string[]>; inUse?: unknown }[];
  access: Access;
  retention: { process: string; tables: SettingsEvidence["retention"] }[];
  cardNumbers: { database: DatabaseScan; files: FileScan };
  audit: { intact: boolean; lines: string[] };
  page: { asReleased: boolean; lines: string[] } | { notCollected: string };
  settings: { process: string; weakening: string[]; inForce: Record<string, string> }[];
};

/** The faults that an assessor has to see first, each in a sentence. */
export function findingsIn({ tls, cardNumbers, audit, page, settings }: Evidence): string[] {
  const { database, files } = cardNumbers;
  const weakening = settings.reduce((count, process) => count + process.weakening.length, 0);
  return [
    ...tls.flatMap(({ listener, faults }) => faults.map((fault) => `${listener}: ${fault}`)),
    ...[...database.found, ...files.found].map(
      ({ place, lastFour }) => `a card number that ends with ${lastFour} in ${place}`,
    ),
    ...(audit.intact ? [] : ["the audit log is not intact"]),
    ...("asReleased" in page && !page.asReleased ? ["the payment page is not as it was released"] : []),
    ...(weakening > 0 ? [`${weakening} settings weaken a measure, each of which is listed at the end`] : []),
  ];
}

/** `summary.md`, for people. */
export function summarize(evidence: Evidence): string {
  const { versions, keys, access, retention, audit, page, settings } = evidence;
  const sections: [heading: string, ...paragraphs: string[]][] = [
    ["Findings", listOf(findingsIn(evidence), "None.")],
    [
      "Versions: `versions` (6.3.2)",
      `Holdfast ${versions.holdfast}, Node ${versions.node}, PostgreSQL ${versions.postgresql}, ${versions.packages} packages of others (sbom.cdx.json).`,
    ],
    [
      "Cipher suites and certificates: `tls` (2.2.7, 4.2.1, 12.3.3)",
      ...(evidence.tls.length === 0 ? ["Not collected: no listener was given (--listener)."] : []),
      ...evidence.tls.map(describeListener),
    ],
    ["Keys: `keys` (3.6, 3.7)", ...describeKeys(keys, access)],
    ["Accounts and roles: `access` (7, 8)", ...describeAccess(access)],
    [
      "Retention in force: `retention` (3.2.1, 10.5.1)",
      ...(retention.length === 0 ? [NO_ENVIRONMENT] : []),
      ...retention.map(
        ({ process, tables }) =>
          `**${process}**\n\n${listOf(
            tables.map(({ table, kept }) => `${table}: ${kept}`),
            "",
          )}`,
      ),
    ],
    ["Card numbers: `cardNumbers` (3.3, 3.5, 12.5.2)", describeScan(evidence.cardNumbers)],
    ["Audit log: `audit` (10.3)", listOf(audit.lines, "")],
    [
      "Payment page: `page` (6.4.3, 11.6.1)",
      "asReleased" in page ? listOf(page.lines, "") : `Not collected: ${page.notCollected}.`,
    ],
    [
      "Settings: `settings` (2.2.6, 8.2.8, 8.3.4, 8.4.2)",
      "**Those that weaken a measure**",
      listOf(
        settings.flatMap(({ process, weakening }) => weakening.map((each) => `${process}: ${each}`)),
        settings.length === 0 ? NO_ENVIRONMENT : "None.",
      ),
      ...settings.map(
        ({ process, inForce }) =>
          `**In force in ${process}**\n\n${listOf(
            Object.entries(inForce).map(([name, value]) => `${name}: ${value}`),
            "None of those that an assessor asks about.",
          )}`,
      ),
    ],
  ];
  return [
    "# Evidence",
    `Collected ${versions.collectedAt}. docs/pci-dss.md names the part for each requirement of PCI DSS 4.0.1.`,
    ...sections.flatMap(([heading, ...paragraphs]) => [`## ${heading}`, ...paragraphs]),
    "",
  ].join("\n\n");
}

const NO_ENVIRONMENT = "Not collected: no environment of a process was given.";

function describeListener({ listener, address, suites, certificate }: OfferedTls): string {
  const lines = Object.entries(suites).map(([version, names]) => `${version}: ${names.join(", ")}`);
  if (certificate)
    lines.push(
      `certificate of ${oneLine(certificate.subject)}, ${certificate.key}, until ${certificate.validTo}`,
    );
  return `**${listener}** (${address})\n\n${listOf(lines, "No TLS.")}`;
}

function describeKeys(keys: Evidence["keys"], { credentials, fingerprintKeys }: Access): string[] {
  return [
    listOf(
      keys.flatMap(({ process, rings }) =>
        Object.entries(rings).map(
          ([ring, ids]) => `${process}: ${ring} has ${ids.join(", ")}; ${ids[0]} is used for new work`,
        ),
      ),
      NO_ENVIRONMENT,
    ),
    ages("peppers of API secrets", credentials.byPepper),
    ages("keys of card hashes", fingerprintKeys),
    "The age of a key that seals messages or sessions is not recorded; the store of secrets knows it.",
  ];
}

function describeAccess({ credentials, refusedOperators, databaseRoles }: Access): string[] {
  return [
    `${credentials.live} live API keys of merchants, the oldest of ${credentials.oldest ?? "none"}; ${credentials.revoked} revoked. ${refusedOperators} people are refused. Roles of people are given by the identity provider; evidence.json has the operations of each.`,
    listOf(
      databaseRoles
        .filter(({ canLogIn, rights }) => canLogIn || rights.length > 0)
        .map(({ role, canLogIn, isSuperuser, memberOf, rights }) =>
          [
            role,
            ...(isSuperuser ? ["superuser"] : []),
            ...(canLogIn ? [] : ["no login"]),
            ...(memberOf.length > 0 ? [`member of ${memberOf.join(" and ")}`] : []),
            `${rights.length} tables (their rights are in evidence.json)`,
          ].join(", "),
        ),
      "",
    ),
  ];
}

function describeScan({ database, files }: Evidence["cardNumbers"]): string {
  const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0);
  const scanned = sum(database.tables.map(({ scannedPages }) => scannedPages));
  const pages = sum(database.tables.map((each) => each.pages));
  const skipped = database.skipped > 0 ? `; ${database.skipped} ranges were left out` : "";
  return `Database: ${scanned} of ${pages} pages of ${database.tables.length} tables were read, anywhere in them${skipped}. Files: ${files.files} with ${files.bytes} bytes. Found: ${database.found.length + files.found.length}. Numbers in plain digits are recognized, together or in the groups of cards; encoded or encrypted ones are not.`;
}

function listOf(lines: readonly string[], none: string): string {
  return lines.length === 0 ? none : lines.map((line) => `- ${line}`).join("\n");
}

function ages(what: string, keys: Access["fingerprintKeys"]): string {
  return listOf(
    keys.map(({ id, since, until }) => `${what}: ${id} from ${since} to ${until}`),
    `No ${what} are in use.`,
  );
}

function oneLine(text: string): string {
  return text.replaceAll("\n", ", ");
}
