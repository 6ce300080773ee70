import { isOwnHost } from "@holdfast/service-runtime";
import { findingsIn, keysOf } from "./findings.ts";
import type { OfferedTls } from "./offered-ciphers.ts";
import type { Access } from "./read-access.ts";
import type { AuditSample } from "./read-log-samples.ts";
import type { Ring, SettingsEvidence } from "./read-settings.ts";
import type { DatabaseScan } from "./scan-database.ts";
import type { FileScan } from "./scan-files.ts";

/** `evidence.json`. A part that was not asked for, or could not be collected, says why. */
export type Evidence = {
  installation: {
    name: string;
    isSandbox: boolean;
    collectedAt: string;
    /** The machine that it was collected on. */
    collectedOn: string;
    database: string;
    processes: string[];
  };
  versions: { holdfast: string; node: string; postgresql: string; nats?: string };
  tls: OfferedTls[];
  /** Rings by process, and the rows that need each key. Never a key itself. */
  keys: { process: string; rings: Record<string, Ring>; inUse?: unknown }[];
  access: Access;
  retention: { process: string; tables: SettingsEvidence["retention"] }[];
  cardNumbers: { database: DatabaseScan; files: FileScan };
  audit: {
    intact: boolean;
    lines: string[];
    /** True if heads that were kept elsewhere were compared. */
    anchored: boolean;
    samples: AuditSample[];
    /** A line of the request log, if a searched file has one. */
    request: string | null;
  };
  page: { asReleased: boolean; lines: string[] } | { notCollected: string };
  settings: { process: string; weakening: string[]; inForce: Record<string, string> }[];
};

/** `summary.md`, for people. */
export function summarize(evidence: Evidence): string {
  const { installation, versions, keys, access, retention, audit, page, settings } = evidence;
  const sections: [heading: string, ...paragraphs: string[]][] = [
    ["Findings", listOf(findingsIn(evidence), "None.")],
    ["Installation: `installation` (12.5.1, 12.5.2)", ...describeInstallation(evidence)],
    [
      "Versions: `versions` (6.3.2, 12.3.4)",
      `Holdfast ${versions.holdfast}, Node ${versions.node}, PostgreSQL ${versions.postgresql}, NATS ${versions.nats ?? "not asked (no listener nats)"}; packages of others with their hashes are in sbom.cdx.json.`,
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
    ["Card numbers: `cardNumbers` (3.3, 3.5, 12.5.2)", ...describeScan(evidence.cardNumbers)],
    ["Audit log: `audit` (10.2, 10.3)", ...describeAudit(audit)],
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
    `Collected ${installation.collectedAt} of ${installation.name}. docs/pci-dss.md of Holdfast ${versions.holdfast} names the part for each requirement of PCI DSS 4.0.1.`,
    ...sections.flatMap(([heading, ...paragraphs]) => [`## ${heading}`, ...paragraphs]),
    "",
  ].join("\n\n");
}

const NO_ENVIRONMENT = "Not collected: no environment of a process was given.";

const SANDBOX =
  "This is the sandbox, which plays everything on one machine: its listeners have no TLS, its tokens live for a day, and its banks are simulators. It proves what the software does, and nothing about an installation with real cards.";

function describeInstallation({ installation, tls }: Evidence): string[] {
  const { name, isSandbox, collectedOn, database, processes } = installation;
  return [
    ...(isSandbox ? [SANDBOX] : []),
    listOf(
      [
        `name: ${name}`,
        `database: ${database}`,
        `listeners: ${tls.map(({ listener, address }) => `${listener} ${address}`).join(", ") || "none was given"}`,
        `processes whose settings were read: ${processes.join(", ") || "none"}`,
        `collected on the machine ${collectedOn}`,
      ],
      "",
    ),
  ];
}

function describeListener({ listener, address, suites, certificate }: OfferedTls): string {
  const lines = Object.entries(suites).map(([version, names]) => `${version}: ${names.join(", ")}`);
  if (certificate)
    lines.push(
      `certificate of ${oneLine(certificate.subject)}, ${certificate.key}, until ${certificate.validTo}`,
    );
  const none = isOwnHost(address.slice(0, address.lastIndexOf(":")))
    ? "No TLS: it is reached on this machine alone."
    : "No TLS.";
  return `**${listener}** (${address})\n\n${listOf(lines, none)}`;
}

function describeKeys(keys: Evidence["keys"], access: Access): string[] {
  const since = new Map(keysOf(keys, access).map((one) => [`${one.ring} ${one.id}`, one.since]));
  const lines = keys.flatMap(({ process, rings }) =>
    Object.entries(rings).map(([ring, { ids, bits, given, algorithm, protects }]) => {
      const each = ids.map((id) => `${id} (${since.get(`${ring} ${id}`) ?? "age not known"})`);
      return `${process}: ${ring} protects ${protects}; ${algorithm}, ${bits} bits, given ${given}; ${each.join(", ")}; ${ids[0]} is used for new work`;
    }),
  );
  return [
    listOf(lines, NO_ENVIRONMENT),
    "A date is that of the first row under the key, or the one with which its id begins. Each key is to be replaced within a year; the age of others is with the store of secrets. The rows that still need each key are in evidence.json.",
  ];
}

function describeAccess({ credentials, refusedOperators, databaseRoles, busUsers }: Access): string[] {
  const { live, test, unused, revoked, oldest } = credentials;
  return [
    `${live} API keys of merchants, ${test} of them for test mode, the oldest of ${oldest ?? "none"}; ${unused} were not used for 90 days; ${revoked} are revoked. ${refusedOperators} people are refused. Roles of people are given by the identity provider; evidence.json has the operations of each.`,
    listOf(
      credentials.list.map(
        ({ merchantId, mode, made, ends, lastUsed, addresses }) =>
          `API key of ${merchantId} (${mode}): made ${made}, ends ${ends ?? "never"}, last used ${lastUsed ?? "never"}, from ${addresses?.join(" ") ?? "any address"}`,
      ),
      "",
    ),
    "**Logins of the database.** PostgreSQL keeps no date of a password: the store of secrets has it.",
    listOf(databaseRoles.map(describeRole), ""),
    "**Logins of the bus**, with the subjects that they may publish and subscribe to. Each has a second login `-2` with the same rights, for the change of passwords.",
    listOf(
      Object.entries(busUsers).map(
        ([user, { publish, subscribe }]) => `${user}: ${publish.length} and ${subscribe.length}`,
      ),
      "",
    ),
  ];
}

function describeRole({
  role,
  canLogIn,
  isSuperuser,
  password,
  memberOf,
  rights,
}: Access["databaseRoles"][number]): string {
  const use = isSuperuser
    ? "superuser, of whoever runs the server"
    : role.endsWith("_owner")
      ? "owns a schema, of the migrations' jobs"
      : role.endsWith("_2")
        ? "second login, for the change of passwords"
        : role === "holdfast_auditor"
          ? "reads the audit logs"
          : "a service";
  return [
    `${role}: ${use}`,
    canLogIn ? "may log in" : "may not log in",
    ...(password === null ? [] : [`password ${password}`]),
    ...(memberOf.length > 0 ? [`rights of ${memberOf.join(" and ")}`] : []),
    ...(rights.length > 0 ? [`rights on ${rights.length} tables (evidence.json)`] : []),
  ].join(", ");
}

function describeScan({ database, files }: Evidence["cardNumbers"]): string[] {
  const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0);
  const scanned = sum(database.tables.map(({ scannedPages }) => scannedPages));
  const pages = sum(database.tables.map((each) => each.pages));
  const skipped = database.skipped > 0 ? `; ${database.skipped} ranges were left out` : "";
  const without = database.withoutTexts.join(", ") || "none";
  return [
    `Database: ${scanned} of ${pages} pages of ${database.tables.length} tables were read, anywhere in them${skipped}. Tables that have ids, times, amounts and counts alone were not: ${without}. Found, with the files: ${database.found.length + files.found.length}. Numbers in plain digits are recognized, together or in the groups of cards; encoded or encrypted ones, and security codes, are not. Archives and back-ups are searched where --scan-path names them, unpacked where gzip has packed them.`,
    "Files that were searched:",
    listOf(
      files.files.map(({ file, bytes }) => `${file}, ${bytes} bytes`),
      "none",
    ),
  ];
}

function describeAudit({ lines, samples, request }: Evidence["audit"]): string[] {
  return [
    listOf(lines, ""),
    ...samples.map(({ log, actions, newest }) => {
      const counted = Object.entries(actions).map(([action, count]) => `${action} ${count}`);
      return `**${log}**: ${counted.join(", ") || "no line yet"}${newest ? `. The newest line:\n\n${fenced(JSON.stringify(newest))}` : ""}`;
    }),
    request === null
      ? "No line of the request log is in the files that were searched."
      : `**A line of the request log:**\n\n${fenced(request)}`,
  ];
}

const fenced = (text: string) => `\`\`\`json\n${text}\n\`\`\``;

function listOf(lines: readonly string[], none: string): string {
  return lines.length === 0 ? none : lines.map((line) => `- ${line}`).join("\n");
}

function oneLine(text: string): string {
  return text.replaceAll("\n", ", ");
}
